package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
)

// checkText returns an error for one file on both sides, and for sides that are in each other's language, as far as a
// built-in model can tell. Pipes cannot be read twice.
func checkText(ctx context.Context, t *corpus.Settings) error {
	const share = 10 // of the lines of a right file, fewer than one in this many are in the other language
	for i, source := range t.Source {
		if files.Same(source, t.Target[i]) {
			return fmt.Errorf("--source %s, --target %s: are one file, expected a text and its translation", source, t.Target[i])
		}
	}
	m, err := builtin.Open(t.SourceLanguage + "-" + t.TargetLanguage)
	if err != nil {
		return nil // languages that no model tells apart
	}
	swapped := &model.Model{Source: m.Target, Target: m.Source, SourceText: m.TargetText, TargetText: m.SourceText}
	for _, side := range []struct {
		name, language, other string
		m                     *model.Model
		paths                 []string
	}{{"source", t.SourceLanguage, t.TargetLanguage, m, t.Source}, {"target", t.TargetLanguage, t.SourceLanguage, swapped, t.Target}} {
		for _, path := range side.paths {
			own, others := 0, 0
			err := eachFirst(ctx, path, func(line string) {
				switch side.m.Language(side.m.SourceText.Read(line, nil)) {
				case side.language:
					own++
				case side.other:
					others++
				}
			})
			if err != nil {
				return err
			}
			if share*others > own {
				return fmt.Errorf("--%s %s: looks like %s, expected %s; are the sides swapped?", side.name, path, side.other, side.language)
			}
		}
	}
	return nil
}

// eachFirst calls f with the first good lines of a regular file.
func eachFirst(ctx context.Context, path string, f func(line string)) error {
	const most = 100
	in, err := files.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Size() == 0 {
		return nil
	}
	for lines := files.NewLines(in); lines.Number() < most; {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if line.Bad == nil {
			f(line.Text)
		}
	}
	return nil
}
