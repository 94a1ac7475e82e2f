package main

import "runtime/debug"

// version returns what --version prints: the version of a release, the pseudo-version of the
// commit for a build from a checkout, and "(devel)" where the build recorded neither.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
