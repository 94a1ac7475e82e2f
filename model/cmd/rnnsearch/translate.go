package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

type translateOptions struct {
	translation.Options
	input  string // empty for standard input
	output textOutput
	resume bool // continue the output of an earlier run
	quiet  bool
}

func newTranslate() *cobra.Command {
	var o translateOptions
	var checkSearch func(maxBeam int) error
	c := &cobra.Command{
		Use: "translate",
		RunE: func(c *cobra.Command, _ []string) error {
			if o.OneSentence = c.Flags().Changed("split-sentences"); !o.OneSentence {
				o.SplitSentences = (o.Decoding.NBest == 0 || o.JSON) && !slices.ContainsFunc(o.Models, func(path string) bool { return models.BuiltIn(path) == "" })
			}
			o.AnyKind = !c.Flags().Changed("replace-unk")
			if err := checkSearch(maxBeam); err != nil {
				return err
			}
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return o.run(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.Models, "model", []string{builtInModels[0]}, modelUsage+"; repeat for an ensemble")
	f.StringVar(&o.input, "input", "", "`file` to translate instead of standard input")
	o.output.add(c)
	f.StringVar(&o.Format, "format", "text", "`format` of the input: "+strings.Join(translation.Formats(), ", "))
	completeValues(c, "format", translation.Formats()...)
	f.BoolVar(&o.resume, "resume", false, "continue where an interrupted run of the same command ended; expects --input and --output")
	f.BoolVar(&o.SplitSentences, "split-sentences", false, "translate each sentence of a line of plain text by itself")
	f.BoolVar(&o.JoinLines, "join-lines", false, "join lines that were broken for their width, and copy lines of code")
	f.IntVar(&o.MaxSource, "max-source", translation.MaxSentence, "maximum number of `words` of a line or, with --split-sentences, of a sentence; a line with more cannot be used")
	f.BoolVar(&o.JSON, "json", false, "print what is known of each translation as JSON: scores, tokens, alignments")
	f.BoolVar(&o.quiet, "quiet", false, "show warnings only: no progress, no summary")
	addThreads(c, &o.Decoding.Threads)
	flagGroup(f, "Search", func(f *pflag.FlagSet) { checkSearch = o.addSearch(f) })
	return c
}

func (o *translateOptions) addSearch(f *pflag.FlagSet) (check func(maxBeam int) error) {
	d := &o.Decoding
	check = addSearch(f, d, "beam size")
	f.IntVar(&d.NBest, "best", 0, "print an n-best list of this `length` for each line, at most --beam (default: only the best translation)")
	f.IntVar(&d.MinLength, "min-length", 0, "minimum number of `words` of a translation")
	f.IntVar(&d.MaxLength, "max-length", 0, "maximum number of `words` of a translation, the end of the sentence included (default: three times the source)")
	addUnknownWords(f, d, true)
	f.StringVar(&o.Terms, "terms", "", "`file` of words of the source and, after a tab, what they become")
	return check
}

func (o translateOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	console := translation.Console{Stdin: stdin, Stdout: stdout, Stderr: stderr, Quiet: o.quiet}
	if o.output.file != "" {
		console.Stdout = nil
	}
	in := files.NewInput(ctx, files.StandardInput, stdin)
	if o.input != "" {
		opened, err := files.Open(ctx, o.input)
		if err != nil {
			return err
		}
		in, console.Stdin = opened, nil
	}
	var part *files.Part
	if o.resume {
		number, commit := build()
		var err error
		if part, err = o.Part(ctx, number+" "+commit, in); err != nil {
			return err
		}
	}
	// Where /dev/stdin exists, it names the file that a shell has opened as standard input.
	out, err := o.output.open(stdout, part, append([]string{o.input, "/dev/stdin"}, o.Models...)...)
	if err != nil {
		return err
	}
	defer out.Close()
	t, err := o.Open(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	if o.Format != "text" {
		debug.SetGCPercent(10) // alignments and paragraphs are much garbage
		return t.RunDocument(ctx, in, out, console)
	}
	return t.Run(ctx, in, out, console, o.Decoding.NBest > 0)
}

func (o translateOptions) check(flags *pflag.FlagSet) error {
	if err := checkChoices(flags, choice{"format", translation.Formats()}); err != nil {
		return err
	}
	if o.resume && (o.input == "" || o.output.file == "") {
		return errors.New("--resume: expected with --input and --output")
	}
	const maxLength = 1 << 29
	d := o.Decoding
	longest := maxLength
	if d.MaxLength > 0 {
		longest = d.MaxLength
	}
	err := checkNumbers(
		number{"best", d.NBest, 0, cmp.Or(d.Beam, maxBeam)},
		number{"max-length", d.MaxLength, 0, maxLength},
		number{"min-length", d.MinLength, 0, longest - 1},
		number{"max-source", o.MaxSource, 1, maxLength},
	)
	if err != nil {
		return err
	}
	switch {
	case o.JoinLines && (o.resume || o.Format != "text"):
		return errors.New("--join-lines: expected without --resume and --format")
	case o.Format != "text" && d.NBest > 0:
		return fmt.Errorf("--best: expected without --format %s, which has one translation", o.Format)
	case o.Format != "text" && o.JSON:
		return fmt.Errorf("--json: expected without --format %s, which has no list of sentences", o.Format)
	}
	if o.SplitSentences && d.NBest > 0 && !o.JSON {
		return errors.New("--split-sentences: expected without --best, or with --json")
	}
	return nil
}
