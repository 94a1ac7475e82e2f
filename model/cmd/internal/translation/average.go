package translation

import (
	"context"
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
)

// Average writes the mean of models, by their files, to out.
func Average(ctx context.Context, paths []string, out *files.Output) error {
	list := make([]*model.Model, len(paths))
	for i, path := range paths {
		var err error
		if list[i], err = models.ReadModel(path); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	mean, err := model.Average(list...)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(paths, ", "), err)
	}
	if err := model.Write(out, mean); err != nil {
		return err
	}
	return out.Commit()
}
