package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestErrors runs the command with arguments and files that it must refuse.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	const files = "train --source DIR/three --target DIR/three --valid-source DIR/three --valid-target DIR/three "
	checkRefusals(t, dir, []refusal{
		{"no flags", "train", "", "missing --model, --source and --target\nusage: rnnsearch train --source FILE --target FILE --model FILE [flags]; see rnnsearch train --help"},

		{"embedding", files + "--model DIR/m --embedding 0", "", `--embedding 0: expected 1 to 16384`},
		{"hidden", files + "--model DIR/m --hidden 99999999", "", `--hidden 99999999: expected 1 to 16384`},
		{"vocab", files + "--model DIR/m --vocab 2", "", `--vocab 2: expected 3 to 16777216`},
		{"max-length", files + "--model DIR/m --max-length 0", "", `--max-length 0: expected 1 to 10000`},
		{"batch", files + "--model DIR/m --batch 0", "", `--batch 0: expected 1 to 10000`},
		{"epochs", files + "--model DIR/m --epochs -1", "", `--epochs -1: expected 1 to 1000000`},
		{"optimizer", files + "--model DIR/m --optimizer sgd", "", `--optimizer "sgd": expected adadelta or adam`},
		{"rate of adadelta", files + "--model DIR/m --learning-rate 0.1", "", `--learning-rate, --warmup, --decay: expected only with --optimizer adam`},
		{"learning rate", files + "--model DIR/m --optimizer adam --learning-rate 2", "",
			`invalid settings: learning rate 2, expected above 0 and at most 1`},
		{"warmup", files + "--model DIR/m --optimizer adam --warmup -1", "",
			`invalid settings: warm-up of -1 steps, decay from step 0 on, expected at least 0`},
		{"dropout of embeddings", files + "--model DIR/m --dropout-embedding 1", "",
			`invalid settings: dropout of embeddings of 1, expected at least 0 and less than 1`},
		{"dropout of the context", files + "--model DIR/m --dropout-context -0.1", "",
			`invalid settings: dropout of the context of -0.1, expected at least 0 and less than 1`},
		{"dropout of the readout", files + "--model DIR/m --dropout-readout NaN", "",
			`invalid settings: dropout of the readout of NaN, expected at least 0 and less than 1`},
		{"precision", files + "--model DIR/m --precision float16", "", `--precision "float16": expected float32 or bf16`},
		{"label smoothing", files + "--model DIR/m --label-smoothing 2", "",
			`invalid settings: label smoothing of 2, expected at least 0 and less than 1`},
		{"average", files + "--model DIR/m --average 1", "",
			`invalid settings: moving average's decay of 1, expected at least 0 and less than 1`},
		{"average below 0", files + "--model DIR/m --average -0.9", "",
			`invalid settings: moving average's decay of -0.9, expected at least 0 and less than 1`},
		{"patience", files + "--model DIR/m --patience -1", "", `--patience -1: expected 0 to 1000000`},
		{"updates", files + "--model DIR/m --updates -1", "", `--updates -1: expected 0 to 1000000000`},
		{"updates without an epoch", files + "--model DIR/m --updates 10 --epochs 0", "", `--epochs 0: expected 1 to 1000000`},
		{"best-by", files + "--model DIR/m --best-by chrf", "", `--best-by "chrf": expected bleu or loss`},
		{"log", files + "--model DIR/m --log xml", "", `--log "xml": expected text or json`},
		{"progress-updates", files + "--model DIR/m --progress-updates 0", "", `--progress-updates 0: expected 1 to 1000000000`},
		{"checkpoint-updates", files + "--model DIR/m --checkpoint-updates -1", "", `--checkpoint-updates -1: expected 0 to 1000000000`},
		{"checkpoint-minutes", files + "--model DIR/m --checkpoint-minutes -1", "", `--checkpoint-minutes -1: expected 0 to 1000000`},
		{"checkpoint folder", files + "--model DIR/m --checkpoint DIR/no/c", "", `--checkpoint DIR/no/c: cannot be written: open DIR/no/c.#.tmp: no such file or directory`},
		{"order", files + "--model DIR/m --order first", "", `--order "first": expected update-first or predict-first`},
		{"alignment model", files + "--model DIR/m --alignment-model cosine", "", `--alignment-model "cosine": expected additive, dot or general`},
		{"no alignment model", files + "--model DIR/m --alignment-model=", "", `--alignment-model "": expected additive, dot or general`},
		{"kind", files + "--model DIR/m --kind transformer", "", `--kind "transformer": expected search or encdec`},
		{"alignment model of encdec", files + "--model DIR/m --kind encdec --alignment-model dot", "", `--alignment-model dot: expected only with --kind search`},
		{"default alignment model of encdec", files + "--model DIR/m --kind encdec --alignment-model additive", "", `--alignment-model additive: expected only with --kind search`},
		{"alignment of encdec", files + "--model DIR/m --alignment 8 --kind encdec", "", `--alignment 8: expected only with --kind search`},
		{"alignment of dot", files + "--model DIR/m --alignment-model dot --hidden 16 --alignment 8", "",
			`--alignment 8: expected 16 like --hidden, or no --alignment, with --alignment-model dot`},
		{"alignment of general", files + "--model DIR/m --alignment-model general --alignment 999", "",
			`--alignment 999: expected 1000 like --hidden, or no --alignment, with --alignment-model general`},
		{"threads", files + "--model DIR/m --threads 0", "", `--threads 0: expected 1 to 1024`},
		{"number", files + "--model DIR/m --batch many", "", "--batch many: expected an integer\nusage: rnnsearch train --source FILE --target FILE --model FILE [flags]; see rnnsearch train --help"},
		{"unknown source language", files + "--model DIR/m --source-language xx", "",
			`--source-language: invalid text settings: language "xx", expected one of ["en" "fr" "de" "other"]`},
		{"unknown target language", files + "--model DIR/m --source-language en --target-language FR", "",
			`--target-language: invalid text settings: language "FR", expected one of ["en" "fr" "de" "other"]`},
		{"copies", files + "--model DIR/m --copies --source-language en", "", `--copies: expected with --source-language and --target-language`},
		{"lowercase", files + "--model DIR/m --lowercase", "", `--lowercase: expected with --source-language or --target-language`},
		{"bpe", files + "--model DIR/m --bpe -1", "", `--bpe -1: expected 0 to 16777216`},
		{"bpe-threshold", files + "--model DIR/m --bpe 10 --bpe-threshold -1", "", `--bpe-threshold -1: expected 0 to 1073741824`},
		{"bpe-threshold without bpe", files + "--model DIR/m --bpe-threshold 50", "", `--bpe-threshold 50: expected with --bpe or --codes`},
		{"model folder", files + "--model DIR/no/m", "", `--model DIR/no/m: cannot be written: open DIR/no/m.#.tmp: no such file or directory`},
		{"empty model", files + "--model=", "", `--model is empty, expected the name of a file`},
		{"model is a folder", files + "--model DIR", "", `--model DIR: is a folder, expected a file`},
		{"flags come first", "train --source DIR/no --target DIR/no --valid-source DIR/no --valid-target DIR/no --model DIR/m --batch 0", "",
			`--batch 0: expected 1 to 10000`},

		{"no training text", "train --source DIR/no --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`open DIR/no: no such file or directory`},
		{"unequal training text", "train --source DIR/three --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`DIR/three:3: unequal numbers of lines: DIR/three has 3, DIR/two has 2, expected the same`},
		{"too little text to hold out", "train --source DIR/two --target DIR/two --model DIR/m", "",
			`2 pairs: expected at least 10, or --valid-source and --valid-target`},
		{"one validation file", "train --source DIR/two --target DIR/two --valid-source DIR/two --model DIR/m", "",
			"--valid-source: expected --valid-target, too\nusage: rnnsearch train --source FILE --target FILE --model FILE [flags]; see rnnsearch train --help"},
		{"unequal validation text", "train --source DIR/two --target DIR/two --valid-source DIR/two --valid-target DIR/three --model DIR/m", "",
			`DIR/three:3: unequal numbers of lines: DIR/two has 2, DIR/three has 3, expected the same`},
		{"empty text", "train --source DIR/empty --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`DIR/empty: empty file, expected one sentence a line`},
		{"training text with an empty line", "train --strict --source DIR/gap --target DIR/three --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`DIR/gap:2: empty line, expected a sentence`},
		{"training text not UTF-8", "train --strict --source DIR/latin --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`DIR/latin:2: invalid UTF-8`},
		{"all too long", files + "--model DIR/m --max-length 1", "", `DIR/three, DIR/three: all 3 pairs have more than 1 word on a side`},
		{"all too long in segments", files + "--model DIR/m --max-length 3 --bpe 1", "", `DIR/three, DIR/three: all 3 pairs have more than 3 words on a side`},
		{"written text without tokens", "train --strict --source DIR/two --target DIR/control --valid-source DIR/two --valid-target DIR/two --model DIR/m --target-language fr", "",
			`DIR/control:2: empty line, expected a sentence`},
		{"written validation text without tokens", "train --strict --source DIR/two --target DIR/two --valid-source DIR/control --valid-target DIR/two --model DIR/m --source-language en", "",
			`DIR/control:2: empty line, expected a sentence`},
		{"written text not UTF-8", "train --strict --source DIR/latin --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m --source-language fr", "",
			`DIR/latin:2: invalid UTF-8`},
		{"no words", "train --source DIR/unknown --target DIR/two --valid-source DIR/two --valid-target DIR/two --model DIR/m", "",
			`source: vocabulary of 2 words: expected </s>, <unk> and at least one word`},

		{"no model", "translate --model DIR/no", "", `#DIR/no: no such file or directory`},
		{"foreign model", "translate --model DIR/three", "", `open DIR/three: not a safetensors file: #`},
		{"empty model", "translate --model DIR/empty", "", `open DIR/empty: truncated: #`},
		{"truncated model", "translate --model DIR/truncated", "", `open DIR/truncated: truncated: #`},
		{"altered model", "translate --model DIR/altered", "", `DIR/altered: wrong checksum: #`},
		{"model without words", "translate --model DIR/wordless", "", `DIR/wordless: model without vocabularies, expected one from rnnsearch train`},
		{"model of unknown text", "translate --model DIR/unwritten", "",
			`DIR/unwritten: not a softsearch model: source_text: invalid text settings: language "xx", expected one of ["en" "fr" "de" "other"]`},
		{"term without words", "translate --model DIR/model --terms DIR/terms", "", `--terms DIR/terms:3: "" for "cat", expected words on both sides`},
		{"term with two tabs", "translate --model DIR/model --terms DIR/tabs", "", `--terms DIR/tabs:1: 2 tabs, expected one between a source and what stands for it`},
		{"beam", "translate --model DIR/model --beam 0", "", `--beam 0: expected 1 to 1000`},
		{"wide beam", "translate --model DIR/model --beam 1001", "", `--beam 1001: expected 1 to 1000`},
		{"threads of translate", "translate --model DIR/model --threads 0", "", `--threads 0: expected 1 to 1024`},
		{"length", "translate --model DIR/model --max-length -1", "", `--max-length -1: expected 0 to 536870912`},
		{"no list", "translate --model DIR/model --best -1", "", `--best -1: expected 0 to 5`},
		{"more than the beam", "translate --model DIR/model --best 6", "", `--best 6: expected 0 to 5`},
		{"normalize", "translate --model DIR/model --normalize -0.5", "", `--normalize -0.5: expected 0 to 10`},
		{"normalize too much", "translate --model DIR/model --normalize 10.5", "", `--normalize 10.5: expected 0 to 10`},
		{"normalize by no number", "translate --model DIR/model --normalize NaN", "", `--normalize NaN: expected 0 to 10`},
		{"min-length", "translate --model DIR/model --min-length -1", "", `--min-length -1: expected 0 to 536870911`},
		{"min-length of max-length", "translate --model DIR/model --min-length 7 --max-length 7", "", `--min-length 7: expected 0 to 6`},
		{"min-length too long", "translate --model DIR/model --min-length 500000000", "the cat .\n",
			`--beam, --max-length, --min-length: no line can be translated: source of 1 words, beam of 5 and translation of up to 500000001 words take # MiB: more than the capacity of 2048.0 MiB`},
		{"max-source", "translate --model DIR/model --max-source 0", "", `--max-source 0: expected 1 to 536870912`},
		{"no input", "translate --model DIR/model --input DIR/no", "", `open DIR/no: no such file or directory`},
		{"input is a folder", "translate --model DIR/model --input DIR", "", `DIR: is a folder, expected a file`},
		{"output exists", "translate --model DIR/model --output DIR/two", "", `--output DIR/two: exists already, expected a new file or --overwrite`},
		{"output is the input", "translate --model DIR/model --input DIR/two --output DIR/./two --overwrite", "", `--output DIR/./two: is an input, expected another file`},
		{"output is the model", "translate --model DIR/model --output DIR/model --overwrite", "", `--output DIR/model: is an input, expected another file`},
		{"output is a model", "translate --model DIR/model --output DIR/other --overwrite", "", `--output DIR/other: is not text, and --overwrite replaces only text`},
		{"output is a folder", "translate --model DIR/model --output DIR", "", `--output DIR: is a folder, expected a file`},
		{"no folder for the output", "translate --model DIR/model --output DIR/no/a", "", `--output DIR/no/a: cannot be written: open DIR/no/a.#.tmp: no such file or directory`},
		{"overwrite without an output", "translate --model DIR/model --overwrite", "", `--overwrite: expected with --output`},
		{"no second model", "translate --model DIR/model --model DIR/no", "", `#DIR/no: no such file or directory`},
		{"other vocabularies", "translate --model DIR/model --model DIR/other", "",
			`DIR/other: vocabularies or text settings differ from those of DIR/model, expected the same in an ensemble`},
		{"max-length too long", "translate --model DIR/model --max-length 500000000", "the cat .\n",
			`--beam, --max-length, --min-length: no line can be translated: source of 1 words, beam of 5 and translation of up to 500000000 words take # MiB: more than the capacity of 2048.0 MiB`},
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
	f, err := safetensors.Load(filepath.Join(dir, "wordless"))
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata["source_text"] = `{"language":"xx"}`
	if err := safetensors.Save(filepath.Join(dir, "unwritten"), f); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"two": "le chat\nle chien\n", "three": "the cat\nthe dog\nthe horse\n", "empty": "",
		"gap": "the cat\n\nthe dog\n", "latin": "le chat\nl' \xe9t\xe9\n", "unknown": "<unk>\n<unk>\n", "control": "le chat\n\x01\n", "blank": "\n \n",
		"terms": "the\tle\n\ncat\t\n", "tabs": "a\tb\tc\n",
		"model": string(good), "truncated": string(good[:len(good)-100]), "altered": string(altered),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
