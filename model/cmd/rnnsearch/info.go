package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

func newInfo() *cobra.Command {
	var path string
	var tensors bool
	c := &cobra.Command{
		Use:   "info --model FILE",
		Short: "Say what is in a model file",
		Long: `Say what is in a model file: its format, architecture and sizes, the vocabularies and what
their text is, the number of parameters, and the checksum, which is right. --tensors lists the
parameters, each with the mean of its magnitudes.

Of the checkpoint of a training it says that it is one.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch info --model /tmp/model.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return info(c.OutOrStdout(), path, tensors)
		},
	}
	c.Flags().StringVar(&path, "model", "", "`file` of the model")
	c.Flags().BoolVar(&tensors, "tensors", false, "list the parameters")
	require(c, "model")
	return c
}

// checkpointFormat begins the format of the checkpoint of a training.
const checkpointFormat = "softsearch checkpoint"

// info writes what a file is.
func info(stdout io.Writer, path string, tensors bool) error {
	description, err := describe(path, tensors)
	if _, missing := errors.AsType[*fs.PathError](err); err != nil && !missing {
		return fmt.Errorf("no model: %w", err)
	}
	if err != nil {
		return err
	}
	_, err = stdout.Write(description)
	return err
}

// describe returns what a file is.
func describe(path string, tensors bool) ([]byte, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if strings.HasPrefix(f.Metadata["format"], checkpointFormat) {
		describeCheckpoint(&b, f)
	} else {
		m, err := model.Open(path)
		if err != nil {
			return nil, err
		}
		if err := describeModel(&b, m); err != nil {
			return nil, err
		}
	}
	if err := describeFile(&b, path, f); err != nil {
		return nil, err
	}
	if tensors {
		listTensors(&b, f.Tensors)
	}
	return b.Bytes(), nil
}
