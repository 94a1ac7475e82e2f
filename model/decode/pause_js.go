package decode

import "syscall/js"

// JavaScript delivers messages, such as that a request is canceled, only while all goroutines wait.
func init() {
	channel, arrived := js.Global().Get("MessageChannel").New(), make(chan struct{}, maxThreads)
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		arrived <- struct{}{}
		return nil
	}))
	pause = func() {
		channel.Get("port2").Call("postMessage", nil)
		<-arrived
	}
}
