package models

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCgroup(t *testing.T) {
	const (
		second = "25 20 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		first  = "30 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n31 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	)
	for _, c := range []struct {
		name, groups, mounts string
		files                map[string]string
		bytes                uint64
		file                 string
	}{
		{"none", "", "", nil, 0, ""},
		{"no limit", "0::/a/b\n", second, map[string]string{"a/b/memory.max": "max\n"}, 0, ""},
		{"own", "0::/a/b\n", second, map[string]string{"a/b/memory.max": "500\n", "a/memory.max": "max\n"}, 500, "/sys/fs/cgroup/a/b/memory.max"},
		{"parent", "0::/a/b\n", second, map[string]string{"a/b/memory.max": "500\n", "a/memory.max": "400\n"}, 400, "/sys/fs/cgroup/a/memory.max"},
		{"root of a namespace", "0::/\n", second, map[string]string{"memory.max": "300\n"}, 300, "/sys/fs/cgroup/memory.max"},
		{"outside the namespace", "0::/../other\n", second, map[string]string{"memory.max": "300\n"}, 300, "/sys/fs/cgroup/memory.max"},
		{
			"container", "0::/docker/id\n", "25 20 0:22 /docker/id /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			map[string]string{"memory.max": "200\n"}, 200, "/sys/fs/cgroup/memory.max",
		},
		{
			"version 1", "4:memory:/x\n3:cpu,cpuacct:/y\n0::/\n", first,
			map[string]string{"memory/x/memory.limit_in_bytes": "700\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"},
			700, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes",
		},
	} {
		root := t.TempDir()
		files := map[string]string{"proc/self/cgroup": c.groups, "proc/self/mountinfo": c.mounts}
		for name, text := range c.files {
			files["sys/fs/cgroup/"+name] = text
		}
		for name, text := range files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		bytes, file, ok := cgroup(root)
		if bytes != c.bytes || file != c.file || ok != (c.file != "") {
			t.Errorf("%s: got %d of %s, want %d of %s", c.name, bytes, file, c.bytes, c.file)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, l := range limits() {
		if l.used == 0 || l.bytes == 0 || l.used > l.bytes {
			t.Errorf("%s: %d bytes of %d in use", l.of, l.used, l.bytes)
		}
	}
}
