package alignment

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// reordering is an alignment of "the red car" with a French translation.
var reordering = AttentionMap{
	Source: []string{"the", "red", "car", "</s>"},
	Target: []string{"l'", "été", "rouge", "</s>"},
	Weights: kernels.View([]float32{
		1, 0, 0, 0,
		0.1, 0.25, 0.65, 0,
		0, 0.8, 0.2, 0,
		0, 0, 0.5, 0.5,
	}, 4, 4),
}

// TestPharaoh has a target word with two equal weights and one aligned to the end of the source.
func TestPharaoh(t *testing.T) {
	a := reordering
	if got, want := a.pharaoh(), "0-0 2-1 1-2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.Target = []string{"l'", "été", "rouge", "vif"} // without </s>
	a.Weights = kernels.View([]float32{0, 0, 0, 1, 0.4, 0.4, 0.2, 0, 0, 0, 1, 0, 0.1, 0.6, 0.3, 0}, 4, 4)
	if got, want := a.pharaoh(), "0-1 2-2 1-3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSpans has a span, which stands in every format in place of its placeholder.
func TestSpans(t *testing.T) {
	m := tinyModel(t)
	for _, side := range []struct {
		vocabulary **text.Vocabulary
		pipeline   *pipeline.Pipeline
		language   string
	}{{&m.Source, &m.SourceText, "en"}, {&m.Target, &m.TargetText, "fr"}} {
		words := (*side.vocabulary).Words()
		words[2] = "⟦1⟧"
		var err error
		if *side.vocabulary, err = text.VocabularyOf(words); err != nil {
			t.Fatal(err)
		}
		if *side.pipeline, err = pipeline.New(pipeline.Defaults(side.language)); err != nil {
			t.Fatal(err)
		}
	}
	m.Parameters.B[2] = 1000
	path := filepath.Join(t.TempDir(), "m")
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	const line = "the ``a b`` dog"
	source, target := write(t, line, 1), write(t, "le ``a b``", 1)
	for _, test := range []struct {
		format, source string
		want           string
	}{
		{"pharaoh", "", "``a\u00a0b`` "}, {"json", "", `"source":["the","` + "``a\u00a0b``" + `","dog"`},
		{"json", source, `"target":["le","` + "``a\u00a0b``" + `","<end>"]`},
	} {
		o := Options{Models: []string{path}, Beam: 1, Threads: 1, Format: test.format, Source: test.source, Target: target}
		var stdout, stderr strings.Builder
		if err := o.Run(t.Context(), strings.NewReader(line+"\n"), &stdout, &stderr); err != nil || !strings.Contains(stdout.String(), test.want) || strings.Contains(stdout.String(), "⟦") {
			t.Errorf("%s: got %q and error %v, want %q", test.format, stdout.String(), err, test.want)
		}
	}
}
