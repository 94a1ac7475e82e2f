package main

import (
	"io/fs"
	"os"
	"path/filepath"
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

var (
	links      = regexp.MustCompile(`(?:\]\(|src(?:set)?=")([^)"\s]+)[)"]`)
	headings   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codeBlocks = regexp.MustCompile("(?ms)^```.*?^```")
	unlinked   = regexp.MustCompile(`[^\pL\pN _-]`) // characters that an anchor leaves out
)

// TestLinks: each relative link of a document leads to a file of the repository and, if it names one,
// to a heading of that file.
func TestLinks(t *testing.T) {
	documents := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			text, err := os.ReadFile(path)
			documents[path] = codeBlocks.ReplaceAllString(string(text), "")
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	anchors := func(path string) (list []string) {
		for _, heading := range headings.FindAllStringSubmatch(documents[path], -1) {
			list = append(list, strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
		}
		return list
	}
	for from, text := range documents {
		for _, link := range links.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			name, anchor, _ := strings.Cut(link[1], "#")
			to := from
			if name != "" {
				to = filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", from, link[1], err)
			} else if anchor != "" && !slices.Contains(anchors(to), anchor) {
				t.Errorf("%s links to %s, expected one of %q", from, link[1], anchors(to))
			}
		}
	}
}
