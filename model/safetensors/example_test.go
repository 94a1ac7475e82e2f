package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

func Example() {
	var file bytes.Buffer
	err := safetensors.Write(&file, &safetensors.File{
		Metadata: map[string]string{"step": "12"},
		Tensors: []safetensors.Tensor{
			{Name: "encoder.W", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}},
			{Name: "output.Wo", Shape: []int{2}, Int8: []int8{-127, 64}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	altered := bytes.Clone(file.Bytes())
	altered[len(altered)-1]++

	f, err := safetensors.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, ok := f.Tensor("encoder.W")
	fmt.Println(f.Metadata["step"], ok, w.Shape, w.Data)
	w, ok = f.Tensor("output.Wo")
	fmt.Println(ok, w.Shape, w.Int8)

	_, err = safetensors.Read(bytes.NewReader(altered))
	fmt.Println(errors.Is(err, safetensors.ErrChecksum))
	// Output:
	// 12 true [2 2] [1 2 3 4]
	// true [2] [-127 64]
	// true
}
