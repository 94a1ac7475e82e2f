package main

import (
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestRecipes trains by each recipe, with smaller sizes. The start says what to expect, and a resumed
// training, which may name the flags instead, does not.
func TestRecipes(t *testing.T) {
	for _, r := range training.Recipes {
		dir := t.TempDir()
		args := append(trainArgs(t, dir), "--updates", "2", "--recipe", r.Name)
		if _, stderr, code := execute("", args...); code != 0 || stderr != "rnnsearch: recipe "+r.Name+", for "+r.Text+". "+r.Expected+"\n" {
			t.Errorf("%s: exit code %d, %s", r.Name, code, stderr)
		}
		resumed := append(without(args, "--recipe"), "--updates", "3", "--settings", write(t, "settings.json", string(r.Settings())))
		if stdout, stderr, code := execute("", resumed...); code != 0 || stderr != "" || !strings.Contains(stdout, "resumed from") {
			t.Errorf("%s: exit code %d, %s%s", r.Name, code, stderr, stdout)
		}
	}
}

// TestRecipePrecedence sets some flags of a recipe by a settings file, and some on the command line.
func TestRecipePrecedence(t *testing.T) {
	c := newTrain()
	file := write(t, "settings.json", `{"recipe": "small", "maxout": 3, "embedding": 2}`)
	if err := c.ParseFlags([]string{"--embedding", "1", "--settings", file}); err != nil {
		t.Fatal(err)
	}
	if err := c.PreRunE(c, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"embedding": "1", "maxout": "3", "hidden": "320", "optimizer": "adam", "batch-words": "0"} {
		if got := c.Flags().Lookup(name).Value.String(); got != want {
			t.Errorf("--%s %s, want %s", name, got, want)
		}
	}
}

// TestRecipeErrors names no recipe, and gives flags that do not go with one.
func TestRecipeErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	const files = "train --source DIR/three --target DIR/three --model DIR/m "
	checkRefusals(t, dir, []refusal{
		{"unknown", files + "--recipe foo", "", `--recipe "foo": expected small, general, paper or characters`},
		{"empty", files + "--recipe=", "", `--recipe "": expected small, general, paper or characters`},
		{"other optimizer", files + "--recipe small --optimizer adadelta", "",
			"--learning-rate, --warmup, --decay: expected only with --optimizer adam; with the settings of --recipe small"},
	})
}

// TestRecipeAdvice has the sizes of the paper, all but one of them, a recipe, and the model of --init.
func TestRecipeAdvice(t *testing.T) {
	const advice = "rnnsearch: 40 training pairs are few for the sizes of the paper, which are the default: "
	for _, test := range []struct {
		flags, recipe string
		initial       *model.Model
		pairs         int
		want          bool
	}{
		{pairs: 40, want: true}, {pairs: 1_000_000}, {pairs: 40, flags: "--hidden 8"}, {pairs: 40, recipe: "small"}, {pairs: 40, initial: tinyModel(t)},
	} {
		var stderr strings.Builder
		o := trainOptions{recipe: test.recipe}
		o.Initial, o.Reporter.Messages = test.initial, &stderr
		flags := newTrain().Flags()
		if err := flags.Parse(strings.Fields(test.flags)); err != nil {
			t.Fatal(err)
		}
		if o.adviseRecipe(flags, test.pairs, 30, 30); strings.HasPrefix(stderr.String(), advice) != test.want {
			t.Errorf("%+v: %s", test, &stderr)
		}
	}
}
