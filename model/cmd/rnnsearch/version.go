package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
)

const versionTemplate = "{{.Name}} version {{.Version}}"

// version returns what --version prints after "rnnsearch version ". The first line is the version of
// a release, the pseudo-version of the commit for a build from a checkout, and "(devel)" where the
// build recorded neither. A line each follows for the commit, if it is recorded, for the version of
// Go and the platform, and for the kernels that compute on this machine.
func version() string {
	number, commit := build()
	var b strings.Builder
	fmt.Fprintln(&b, number)
	if commit != "" {
		fmt.Fprintf(&b, "commit %s\n", commit)
	}
	fmt.Fprintf(&b, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "%s kernels\n", kernels.Best())
	return b.String()
}

// build returns the version of a release or of a commit, "(devel)" where the build recorded neither,
// and the commit if it is recorded.
func build() (number, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)", ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if commit = settings["vcs.revision"]; commit != "" && settings["vcs.modified"] == "true" {
		commit += ", with changes"
	}
	return cmp.Or(info.Main.Version, "(devel)"), commit
}
