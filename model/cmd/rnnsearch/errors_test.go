package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestErrors runs the command with arguments and files that it must refuse.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	const files = "train --source DIR/three --target DIR/trois --valid-source DIR/three --valid-target DIR/three "
	checkRefusals(t, dir, []refusal{
		{"embedding", files + "--model DIR/m --embedding 0", "", `--embedding 0: expected 1 to 16384`},
		{"optimizer", files + "--model DIR/m --optimizer sgd", "", `--optimizer "sgd": expected adadelta or adam`},
		{"rate of adadelta", files + "--model DIR/m --learning-rate 0.1", "", `--learning-rate, --warmup, --decay: expected only with --optimizer adam`},
		{"learning rate", files + "--model DIR/m --optimizer adam --learning-rate 2", "",
			`invalid settings: learning rate 2, expected above 0 and at most 1`},
		{"precision", files + "--model DIR/m --precision float16", "", `--precision "float16": expected float32 or bf16; did you mean float32`},
		{"updates without an epoch", files + "--model DIR/m --updates 10 --epochs 0", "", `--epochs 0: expected 1 to 1000000`},
		{"best-by", files + "--model DIR/m --best-by chrf", "", `--best-by "chrf": expected bleu or loss`},
		{"log", files + "--model DIR/m --log xml", "", `--log "xml": expected text or json`},
		{"checkpoint folder", files + "--model DIR/m --checkpoint DIR/no/c", "", `--checkpoint DIR/no/c: cannot be written: there is no folder DIR/no`},
		{"order", files + "--model DIR/m --order first", "", `--order "first": expected update-first or predict-first`},
		{"alignment model", files + "--model DIR/m --alignment-model cosine", "", `--alignment-model "cosine": expected additive, dot or general`},
		{"kind", files + "--model DIR/m --kind transformer", "", `--kind "transformer": expected search or encdec`},
		{"alignment model of encdec", files + "--model DIR/m --kind encdec --alignment-model dot", "", `--alignment-model dot: expected only with --kind search`},
		{"alignment of encdec", files + "--model DIR/m --alignment 8 --kind encdec", "", `--alignment 8: expected only with --kind search`},
		{"alignment of dot", files + "--model DIR/m --alignment-model dot --hidden 16 --alignment 8", "",
			`--alignment 8: expected 16 like --hidden, or no --alignment, with --alignment-model dot`},
		{"unknown source language", files + "--model DIR/m --source-language xx", "",
			`--source-language "xx": expected en, fr, de or other`},
		{"lowercase", files + "--model DIR/m --lowercase", "", `--lowercase: expected with --source-language or --target-language and --tokenizer moses`},
		{"bpe-threshold without bpe", files + "--model DIR/m --bpe-threshold 50", "", `--bpe-threshold 50: expected with --bpe or --codes`},
		{"flags come first", "train --source DIR/no --target DIR/no --valid-source DIR/no --valid-target DIR/no --model DIR/m --batch 0", "",
			`--batch 0: expected 1 to 10000`},

		{"no training text", "train --source DIR/no --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`open DIR/no: no such file or directory`},
		{"unequal training text", "train --source DIR/three --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`DIR/three:3: unequal numbers of lines: DIR/three has 3, DIR/two has 2, expected the same`},
		{"too little text to hold out", "train --source DIR/two --target DIR/deux --model DIR/m", "",
			`2 pairs: expected at least 10, or --valid-source and --valid-target`},
		{"training text with an empty line", "train --strict --source DIR/gap --target DIR/three --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`DIR/gap:2: empty line, expected a sentence`},
		{"all too long", files + "--model DIR/m --max-length 1", "", `DIR/three, DIR/trois: all 3 pairs have more than 1 word on a side`},
		{"written text without tokens", "train --strict --source DIR/two --target DIR/control --valid-source DIR/two --valid-target DIR/two --model DIR/m --target-language fr", "",
			`DIR/control:2: empty line, expected a sentence`},
		{"no words", "train --source DIR/unknown --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`source: vocabulary of 2 words: expected </s>, <unk> and at least one word`},

		{"one file", "train --source DIR/two --target DIR/./two --model DIR/m", "", `--source DIR/two, --target DIR/./two: are one file, expected a text and its translation`},
		{"sides swapped", "train --source DIR/french --target DIR/three --source-language en --target-language fr --model DIR/m", "",
			`--source DIR/french: looks like fr, expected en; are the sides swapped?`},
		{"format", "translate --model DIR/model --format htlm", "", `--format "htlm": expected text, html, markdown, srt, vtt, po or xliff; did you mean html`},
		{"model in no folder", "translate --model DIR/no/m", "", `open DIR/no/m: no such file or directory; there is no folder DIR/no`},
		{"model without words", "translate --model DIR/wordless", "", `DIR/wordless: model without vocabularies, expected one from rnnsearch train`},
		{"term without words", "translate --model DIR/model --terms DIR/terms", "", `--terms DIR/terms:1: invalid text settings: terms need a language and reversible rules`},
		{"beam", "translate --model DIR/model --beam 0", "", `--beam 0: expected 1 to 1000`},
		{"length", "translate --model DIR/model --max-length -1", "", `--max-length -1: expected 0 to 536870912`},
		{"more than the beam", "translate --model DIR/model --best 6", "", `invalid settings: 6 best translations, expected 1 to the beam of 5`},
		{"normalize", "translate --model DIR/model --normalize -0.5", "", `--normalize -0.5: expected 0 to 10`},
		{"min-length", "translate --model DIR/model --min-length -1", "", `--min-length -1: expected 0 to 536870911`},
		{"min-length of max-length", "translate --model DIR/model --min-length 7 --max-length 7", "", `--min-length 7: expected 0 to 6`},
		{"min-length too long", "translate --model DIR/model --min-length 500000000", "the cat .\n",
			`--beam, --max-length, --min-length: no line can be translated: source of 1 words, beam of 5 and translation of up to 500000001 words take # MiB: more than the capacity of 2048.0 MiB`},
		{"no input", "translate --model DIR/model --input DIR/no", "", `open DIR/no: no such file or directory`},
		{"output exists", "translate --model DIR/model --output DIR/two", "", `--output DIR/two: exists already, expected a new file or --overwrite`},
		{"overwrite without an output", "translate --model DIR/model --overwrite", "", `--overwrite: expected with --output`},
		{"other vocabularies", "translate --model DIR/model --model DIR/other", "",
			`invalid settings: source vocabulary of model 2 differs from that of the first`},
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A refusal is a command that fails with the error want.
type refusal struct{ name, args, stdin, want string }

// checkRefusals runs commands. In arguments and errors, DIR stands for a folder of test files; in
// errors, # matches anything.
func checkRefusals(t *testing.T, dir string, list []refusal) {
	for _, test := range list {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, code := execute(test.stdin, strings.Fields(strings.ReplaceAll(test.args, "DIR", dir))...)
			got := strings.ReplaceAll(stderr, dir, "DIR")
			want := "^rnnsearch: " + strings.ReplaceAll(regexp.QuoteMeta(test.want), "#", ".*") + "\n$"
			if code != 1 || !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("exit code %d, got %s\nwant rnnsearch: %s", code, got, test.want)
			}
			if strings.Contains(stdout, "Usage") || strings.Contains(stdout, "<svg") {
				t.Errorf("standard output:\n%s", stdout)
			}
		})
	}
}

// put writes the files for TestErrors.
func put(t *testing.T, dir string) {
	t.Helper()
	m := tinyModel(t)
	good, err := os.ReadFile(saved(t, m))
	if err != nil {
		t.Fatal(err)
	}
	altered := append([]byte(nil), good...)
	altered[len(altered)-2] ^= 1
	words := m.Source.Words()
	words[2] = "another"
	if m.Source, err = text.VocabularyOf(words); err != nil {
		t.Fatal(err)
	}
	if err := model.Save(filepath.Join(dir, "other"), m); err != nil {
		t.Fatal(err)
	}
	m.Source, m.Target = nil, nil
	if err := model.Save(filepath.Join(dir, "wordless"), m); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"two": "le chat\nle chien\n", "three": "the cat\nthe dog\nthe horse\n", "empty": "",
		"deux": "le chat\nle chien\n", "trois": "le chat\nle chien\nle cheval\n", "french": "je voudrais savoir où est la gare\nnous avons mangé dans la cuisine\n",
		"gap": "the cat\n\nthe dog\n", "unknown": "<unk>\n<unk>\n", "control": "le chat\n\x01\n", "blank": "\n \n",
		"terms": "the\tle\n\ncat\t\n",
		"model": string(good), "altered": string(altered),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
