package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/server"
)

var (
	namedModel   = regexp.MustCompile(`^([\pL\pN._:-]+)=(.+)$`)
	languagePair = regexp.MustCompile(`^([a-z]{2,3})-([a-z]{2,3})(:|$)`)
)

// parseModel returns the model of a value of --model, [NAME=]FILE[+FILE...], and its files.
func parseModel(value string) (m server.Model, paths []string) {
	if named := namedModel.FindStringSubmatch(value); named != nil {
		m.Name, value = named[1], named[2]
	}
	paths = []string{value}
	if _, err := os.Stat(value); errors.Is(err, os.ErrNotExist) { // a + may be part of a name
		paths = strings.Split(value, "+")
	}
	base := filepath.Base(paths[0])
	m.Name = cmp.Or(m.Name, strings.TrimSuffix(base, filepath.Ext(base)))
	if pair := languagePair.FindStringSubmatch(m.Name); pair != nil {
		m.Source, m.Target = pair[1], pair[2]
	}
	if models.BuiltIn(value) != "" {
		m.Examples = builtin.Examples(value)
	}
	m.Open = models.Opener(paths)
	return m, paths
}
