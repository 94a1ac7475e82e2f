package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// takeInputs sets the files that flags name to read. It returns an error if two flags name one pipe or
// device: each would get a part of the text.
func (o *trainOptions) takeInputs(flags *pflag.FlagSet) error {
	var names []string // of the flags of o.Inputs
	for _, name := range append([]string{"settings"}, textFlags...) {
		value := flags.Lookup(name).Value
		list := []string{value.String()}
		if repeated, ok := value.(*paths); ok {
			list = *repeated
		}
		for _, path := range list {
			if path == "" {
				continue
			}
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
				for i, other := range o.Inputs {
					if files.Same(path, other) {
						return fmt.Errorf("--%s %s: %w, and read for --%s already; expected another file", name, path, files.ErrNotRegular, names[i])
					}
				}
			}
			names, o.Inputs = append(names, name), append(o.Inputs, path)
		}
	}
	return nil
}
