package translation

import (
	"context"
	"fmt"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// Average writes the mean of models, by their files, to out.
func Average(ctx context.Context, paths []string, out *files.Output) error {
	mean, err := terminal.UntilInterrupted(ctx, func() (*model.Model, error) {
		list := make([]*model.Model, len(paths))
		for i, path := range paths {
			var err error
			if list[i], err = models.ReadModel(path); err != nil {
				return nil, err
			}
		}
		m, err := model.Average(list...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(paths, ", "), err)
		}
		return m, nil
	})
	if err != nil {
		return err
	}
	if err := model.Write(out, mean); err != nil {
		return err
	}
	return out.Commit()
}
