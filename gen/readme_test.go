package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMap: every package of the repository stands in the README's map, under its path or under the
// last part of its path in the row of a folder above it, and the map names no room that is missing.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Map\n")
	section, _, ok := strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("README.md has no section Map")
	}
	code := regexp.MustCompile("`([^`]+)`")
	rooms := map[string]string{} // rows of the table, by the rooms in their first cell
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range code.FindAllStringSubmatch(cells[1], -1) {
			rooms[name[1]] = cells[2]
			if _, err := os.Stat("../" + name[1]); err != nil {
				t.Errorf("the map has %s: %v", name[1], err)
			}
		}
	}
	mapped := func(path string) bool {
		if _, ok := rooms[path]; ok {
			return true
		}
		for folder := path; ; {
			i := strings.LastIndexByte(folder, '/')
			if i < 0 {
				return false
			}
			folder = folder[:i]
			if row, ok := rooms[folder]; ok {
				first, _, _ := strings.Cut(path[len(folder)+1:], "/")
				return strings.Contains(row, "`"+first+"`")
			}
		}
	}
	paths := goTool(t, "list", "-f", "{{.ImportPath}}", "./...", "./model/cmd/...", "./bench/peers/...", "./bench/paper/...")
	var missing []string
	for path := range strings.Lines(string(paths)) {
		path = strings.TrimPrefix(strings.TrimSpace(path), module+"/")
		if !strings.Contains(path, "/internal/") && !strings.HasPrefix(path, "asm/") && !mapped(path) {
			missing = append(missing, path)
		}
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); len(missing) > 0 {
		t.Errorf("the map lacks %q", missing)
	}
}
