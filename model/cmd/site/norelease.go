//go:build !release

package site

import "embed"

var release embed.FS
