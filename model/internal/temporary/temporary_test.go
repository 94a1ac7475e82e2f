package temporary

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for range 100 {
		f, err := Create(path, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f.Name())
		f.Close()
		if !Is(name, path) || Is(name, path+"s") || Is(name, filepath.Join(filepath.Dir(path), "mode")) {
			t.Errorf("%s is not of model alone", name)
		}
		altered := []byte(name)
		for i := range altered {
			old := altered[i]
			if altered[i] = '0'; old == '0' {
				altered[i] = '1'
			}
			if Is(string(altered), path) || Is(name[:i], path) {
				t.Errorf("%s or %s pass for %s", altered, name[:i], name)
			}
			altered[i] = old
		}
		if Is(name+".gz", path) {
			t.Errorf("%s.gz passes", name)
		}
	}
	for _, name := range []string{"model.0123456789abcdef.tmp", "model.0000000000000000.tmp", "model.tmp", "model", ""} {
		if Is(name, path) {
			t.Errorf("%q passes", name)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(path)); len(list) != 100 || err != nil {
		t.Errorf("%d files, error %v", len(list), err)
	}
}
