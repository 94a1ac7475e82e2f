package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
)

// versionTemplate prints what version returns.
const versionTemplate = "{{.Name}} version {{.Version}}"

// version returns what --version prints after "rnnsearch version ". The first line is the version of
// a release, the pseudo-version of the commit for a build from a checkout, and "(devel)" where the
// build recorded neither. A line each follows for the commit, if it is recorded, for the version of
// Go and the platform, and for the kernels that compute on this machine.
func version() string {
	info, ok := debug.ReadBuildInfo()
	number := "(devel)"
	if ok && info.Main.Version != "" {
		number = info.Main.Version
	}
	var b strings.Builder
	fmt.Fprintln(&b, number)
	if ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if commit := settings["vcs.revision"]; commit != "" {
			changed := ""
			if settings["vcs.modified"] == "true" {
				changed = ", with changes"
			}
			fmt.Fprintf(&b, "commit %s%s\n", commit, changed)
		}
	}
	fmt.Fprintf(&b, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "%s kernels\n", kernels.Best())
	return b.String()
}
