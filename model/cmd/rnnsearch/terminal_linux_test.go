package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/softsearch-go/softsearch/model/text"
)

// openTerminal returns both ends of a new pseudoterminal: what is written to the terminal can be read
// from the controller.
func openTerminal(t *testing.T) (controller, tty *os.File) {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { controller.Close() })
	var unlock, number int32
	for request, argument := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, controller.Fd(), request, uintptr(unsafe.Pointer(argument))); errno != 0 {
			t.Skip(errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { tty.Close() })
	return controller, tty
}

// TestTranslateTyped types a line at a terminal that shows messages, and not the translation.
func TestTranslateTyped(t *testing.T) {
	for _, quiet := range []string{"--quiet=false", "--quiet"} {
		controller, tty := openTerminal(t)
		c := command(t, "translate", "--model", saved(t, tinyModel(t)), "--max-length", "3", quiet)
		c.Stdin, c.Stderr = tty, tty
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(controller, "a dog\n\x04") // Ctrl-D
		translations := bufio.NewScanner(out)
		if !translations.Scan() {
			t.Error("no translation")
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
		fmt.Fprint(tty, "END")
		shown := until(t, controller, "END")
		hint := "rnnsearch: reads one sentence per line; Ctrl-D ends\r\n"
		if got := strings.Count(shown, hint); (got == 1) != (quiet != "--quiet") || strings.Count(shown, "rnnsearch:") != got {
			t.Errorf("%s: the terminal shows %q", quiet, shown)
		}
	}
}

// TestHostileWords prints the words of a stranger's model to a terminal, which obeys none of them.
func TestHostileWords(t *testing.T) {
	const evil = "\x1b]0;title\x07\u009b2J\u202e"
	m := tinyModel(t)
	words := m.Target.Words()
	for i := range words[2:] {
		words[2+i] += evil
	}
	var err error
	if m.Target, err = text.VocabularyOf(words); err != nil {
		t.Fatal(err)
	}
	path := saved(t, m)
	for _, args := range [][]string{
		{"info", "--vocabulary", "target"},
		{"translate", "--max-length", "3", "--forbid-unk"},
	} {
		controller, tty := openTerminal(t)
		c := command(t, append(args, "--model", path)...)
		c.Stdin, c.Stdout = strings.NewReader("a dog\n"), tty
		go func() {
			c.Run()
			fmt.Fprint(tty, "END")
		}()
		if shown := until(t, controller, "END"); strings.ContainsAny(shown, "\x1b\x07\u009b\u202e") || !strings.Contains(shown, `2J\u202e`) {
			t.Errorf("%s: the terminal shows %q", args, shown)
		}
	}
}

// until reads what a terminal shows up to and with a text.
func until(t *testing.T, controller *os.File, end string) string {
	t.Helper()
	var shown strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(shown.String(), end); {
		if _, err := controller.Read(b); err != nil {
			t.Fatal(err)
		}
		shown.Write(b)
	}
	return shown.String()
}

// TestTranslateBarAndPipe closes the pipe that a translation with a bar writes to: the bar goes, and
// the process ends without a message.
func TestTranslateBarAndPipe(t *testing.T) {
	controller, tty := openTerminal(t)
	c := command(t, "translate", "--model", saved(t, tinyModel(t)), "--max-length", "3")
	c.Stderr = tty
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	barShown := make(chan bool)
	go func() {
		translations := bufio.NewReader(stdout)
		for closed := false; !closed; {
			select {
			case <-barShown:
				stdout.Close()
				closed = true
			default:
				translations.ReadString('\n')
			}
		}
	}()
	go func() {
		for {
			if _, err := io.WriteString(stdin, "a dog\n"); err != nil {
				return
			}
		}
	}()
	until(t, controller, "translating: ")
	close(barShown)
	err = c.Wait()
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE {
		t.Errorf("ended with %v", err)
	}
	fmt.Fprint(tty, "END")
	shown := until(t, controller, "END")
	if !strings.HasSuffix(shown, " \rEND") || strings.Contains(shown, "rnnsearch:") {
		t.Errorf("the terminal shows %q", shown)
	}
}
