package translation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// ReadTerms reads a file of terms: lines of source text, a tab and what stands for it in translations. A
// line without a tab is text that stays. There are no terms without a path. numbers has the line of each term, from 1.
func ReadTerms(ctx context.Context, path string) (terms []pipeline.Term, numbers []int, err error) {
	if path == "" {
		return nil, nil, nil
	}
	in, err := files.Open(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("--terms %w", err)
	}
	defer in.Close()
	in.Limit(16 << 20)
	for lines := files.NewLines(in); ; {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return terms, numbers, nil
		}
		if err == nil {
			err = line.Bad
		}
		fields := strings.Split(line.Text, "\t")
		if err == nil && len(fields) > 2 {
			err = fmt.Errorf("%d tabs, expected one between a source and what stands for it", len(fields)-1)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--terms %w", files.LineError(in.Name(), line.Number, err))
		}
		if strings.TrimSpace(line.Text) != "" {
			terms, numbers = append(terms, pipeline.Term{Source: fields[0], Target: fields[len(fields)-1]}), append(numbers, line.Number)
		}
	}
}
