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

// TestMap: every package of the repository is a room of the README's map, directly below one, or below model/cmd, and the map names
// no room that is missing.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## Map\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("README.md has no section Map")
	}
	code := regexp.MustCompile("`([^`]+)`")
	rooms := map[string]bool{} // in the first cells of the table
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		folder := ""
		for _, found := range code.FindAllStringSubmatch(cells[1], -1) {
			name := found[1]
			if _, err := os.Stat("../" + name); err != nil { // beside the room before it
				name = folder + "/" + name
			}
			rooms[name], folder = true, filepath.ToSlash(filepath.Dir(name))
			if _, err := os.Stat("../" + name); err != nil {
				t.Errorf("the map has %s: %v", name, err)
			}
		}
	}
	mapped := func(path string) bool {
		return rooms[path] || rooms[filepath.ToSlash(filepath.Dir(path))] || rooms["model/cmd"] && within(path, "model/cmd")
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
