// Release prepares and tags versions of the modules that users install.
//
// Usage, from anywhere in the repository:
//
//	release prepare VERSION       make model/cmd require the root module at VERSION
//	release tidy                  run go mod tidy in model/cmd, except for that requirement
//	release check VERSION         report why HEAD cannot be released as VERSION
//	release tag VERSION [FILE]    check, then tag HEAD with the message in FILE or from the editor
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	root, err := output(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		log.Fatal(err)
	}
	if err := run(strings.TrimSpace(root), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(root string, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "tidy":
		return tidy(root)
	case len(args) == 2 && args[0] == "prepare":
		return prepare(root, args[1])
	case len(args) == 2 && args[0] == "check":
		return check(root, args[1])
	case len(args) == 2 && args[0] == "tag":
		return tag(root, args[1], "")
	case len(args) == 3 && args[0] == "tag":
		return tag(root, args[1], args[2])
	}
	return fmt.Errorf("usage: release prepare VERSION | tidy | check VERSION | tag VERSION [FILE]")
}
