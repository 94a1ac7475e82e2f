//go:build release

package site

import "embed"

// release has the program of a site as make release built it.
//
//go:embed release
var release embed.FS
