package decode

import "syscall/js"

// JavaScript delivers messages, such as that a request is canceled, only while all goroutines wait.
var (
	channel = js.Global().Get("MessageChannel").New()
	arrived = make(chan struct{}, maxThreads)
)

func init() {
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		arrived <- struct{}{}
		return nil
	}))
}

// pause lets other goroutines and JavaScript run.
func pause() {
	channel.Get("port2").Call("postMessage", nil)
	<-arrived
}
