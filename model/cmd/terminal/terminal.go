// Package terminal writes for the person who started a command: how far a task is, warnings, and text
// from files that must not send the terminal commands.
//
// [ProgressOn] decides once, from where standard error goes, whether tasks show a bar or lines; the
// [Start] that it returns begins a task, whose [Progress] ends with Done. [Warnings] count the lines
// of an input that cannot be used, and [Warnings.Failure] turns them into the error of the command.
package terminal

import (
	"os"
	"runtime"

	"github.com/mattn/go-isatty"
)

// Is reports whether a reader or writer is a terminal.
func Is(v any) bool {
	f, ok := v.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// EndOfFileKey returns what a person types at a terminal to end the input.
func EndOfFileKey() string {
	if runtime.GOOS == "windows" {
		return "Ctrl-Z Enter"
	}
	return "Ctrl-D"
}
