package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// prepare makes commandModule require rootModule at version, which need not be tagged yet, and
// writes the hashes of the working tree at root to its go.sum.
func prepare(root, version string) error {
	if err := checkVersion(root, version); err != nil {
		return err
	}
	dir := filepath.Join(root, commandModule.dir)
	if _, err := output(dir, "go", "mod", "edit", "-require="+rootModule.path+"@"+version); err != nil {
		return err
	}
	if _, err := replaceSums(root, nil); err != nil {
		return err
	}
	return tidyFromTree(root, version)
}

// tidy runs go mod tidy for commandModule with the rootModule of the working tree at root. The
// version it requires and the hashes of that version stay, since both may be published.
func tidy(root string) error {
	version, err := required(root)
	if err != nil {
		return err
	}
	sums, err := replaceSums(root, nil)
	if err != nil {
		return err
	}
	err = tidyFromTree(root, version)
	_, restoreErr := replaceSums(root, sums)
	return errors.Join(err, restoreErr)
}

// check returns an error that says why HEAD cannot be released as version, or nil.
func check(root, version string) error {
	if err := checkVersion(root, version); err != nil {
		return err
	}
	status, err := output(root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		return fmt.Errorf("the working tree has changes:\n%s", status)
	}
	for _, m := range modules {
		if err := checkInstallable(root, m); err != nil {
			return err
		}
	}
	got, err := required(root)
	if err != nil {
		return err
	}
	if got != version {
		return fmt.Errorf("%s/go.mod requires the root module at %s, not %s: run make release-prepare", commandModule.dir, got, version)
	}
	if err := tidyFromTree(root, version, "-diff"); err != nil {
		return fmt.Errorf("%s is not tidy with the root module of this tree: run make release-prepare\n%w", commandModule.dir, err)
	}
	return nil
}

// tag makes an annotated tag of HEAD for each module and prints the command that publishes them.
// The message is in file, or comes from the editor if file is "".
func tag(root, version, file string) error {
	if err := check(root, version); err != nil {
		return err
	}
	args := []string{"tag", "-a", version}
	if file != "" {
		args = append(args, "-F", file)
	}
	c := exec.Command("git", args...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = root, os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("git tag %s: %w", version, err)
	}
	command := commandModule.dir + "/" + version
	if _, err := output(root, "git", "tag", "-a", "-m", "rnnsearch "+version, command); err != nil {
		_, undoErr := output(root, "git", "tag", "-d", version)
		return errors.Join(err, undoErr)
	}
	fmt.Printf("Tagged. To publish:\n\n\tgit push --atomic origin %s %s\n", version, command)
	return nil
}

// checkVersion returns an error unless version is a semantic version, fits the module paths and is
// higher than every tagged version.
func checkVersion(root, version string) error {
	if semver.Canonical(version) != version {
		return fmt.Errorf("version %q is not a semantic version like v1.2.3", version)
	}
	if err := module.Check(rootModule.path, version); err != nil {
		return err
	}
	list, err := output(root, "git", "tag", "--list", "v*", commandModule.dir+"/v*")
	if err != nil {
		return err
	}
	for tag := range strings.FieldsSeq(list) {
		if last := strings.TrimPrefix(tag, commandModule.dir+"/"); semver.Compare(version, last) <= 0 {
			return fmt.Errorf("version %s is not higher than the tag %s", version, tag)
		}
	}
	return nil
}

// checkInstallable returns an error if go.mod of m has directives that go install refuses, or
// ignores in a dependency.
func checkInstallable(root string, m published) error {
	f, err := parse(root, m)
	if err != nil {
		return err
	}
	if len(f.Replace)+len(f.Exclude) > 0 {
		return fmt.Errorf("%s has a replace or exclude directive, which users of the module do not get", m.goMod(root))
	}
	return nil
}

// required returns the version of rootModule that commandModule requires.
func required(root string) (string, error) {
	f, err := parse(root, commandModule)
	if err != nil {
		return "", err
	}
	for _, r := range f.Require {
		if r.Mod.Path == rootModule.path {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", commandModule.goMod(root), rootModule.path)
}

func parse(root string, m published) (*modfile.File, error) {
	data, err := os.ReadFile(m.goMod(root))
	if err != nil {
		return nil, err
	}
	return modfile.Parse(m.goMod(root), data, nil)
}

// tidyFromTree runs go mod tidy for commandModule with the working tree as version of rootModule.
func tidyFromTree(root, version string, flags ...string) error {
	temp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	proxy := filepath.Join(temp, "proxy")
	if err := writeProxy(proxy, root, version); err != nil {
		return err
	}
	env, err := proxyEnv(proxy, filepath.Join(temp, "mod"))
	if err != nil {
		return err
	}
	_, err = outputWith(env, filepath.Join(root, commandModule.dir), "go", append([]string{"mod", "tidy"}, flags...)...)
	return err
}

// replaceSums replaces the hashes of rootModule in commandModule's go.sum and returns the old ones.
func replaceSums(root string, sums []string) (old []string, err error) {
	name := filepath.Join(root, commandModule.dir, "go.sum")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	old, others := splitSums(string(data))
	lines := append(others, sums...)
	slices.SortStableFunc(lines, func(a, b string) int { // go.sum is in the order of module paths
		pathA, _, _ := strings.Cut(a, " ")
		pathB, _, _ := strings.Cut(b, " ")
		return strings.Compare(pathA, pathB)
	})
	return old, os.WriteFile(name, []byte(strings.Join(lines, "")), 0o666)
}

// splitSums returns the lines of a go.sum for rootModule and those for other modules.
func splitSums(goSum string) (root, others []string) {
	for line := range strings.Lines(goSum) {
		if strings.HasPrefix(line, rootModule.path+" ") {
			root = append(root, line)
		} else {
			others = append(others, line)
		}
	}
	return root, others
}
