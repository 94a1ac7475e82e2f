package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// An input is a text file that is read once: it takes the checksum and shows the progress on the way.
type input struct {
	*files.Input
	ctx      context.Context
	hash     hash.Hash
	offset   int64 // in the file, as shown
	progress terminal.Progress
}

// openInput opens a text file, until ctx ends.
func openInput(ctx context.Context, path string, p terminal.Progress) (*input, error) {
	in, err := files.OpenContext(ctx, path)
	if err != nil {
		return nil, err
	}
	return &input{Input: in, ctx: ctx, hash: sha256.New(), progress: p}, nil
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.Input.Read(p)
	if end := in.ctx.Err(); end != nil {
		return 0, end
	}
	in.hash.Write(p[:n])
	offset := in.Offset()
	in.progress.Add(int(offset-in.offset), "")
	in.offset = offset
	return n, err
}

// checksum returns the SHA-256 of the decompressed text. It reads what is left of it.
func (in *input) checksum() (string, error) {
	if _, err := io.Copy(io.Discard, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(in.hash.Sum(nil)), nil
}

// totalSize returns the sum of the sizes of files, or 0 if one is unknown.
func totalSize(paths ...string) int {
	total := 0
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += int(info.Size())
	}
	return total
}

func pathsOf(list []textFile) []string {
	paths := make([]string, len(list))
	for i, file := range list {
		paths[i] = file.path
	}
	return paths
}
