package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// output runs a command in dir and returns its standard output. Its standard error is part of the error.
func output(dir, name string, args ...string) (string, error) {
	return outputWith(nil, dir, name, args...)
}

func outputWith(env []string, dir, name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	c.Stderr = &stderr
	stdout, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, stdout, &stderr)
	}
	return string(stdout), nil
}

// proxyEnv returns the environment in which the go command, with an empty module cache and no
// workspace, takes the published modules from proxy. It takes every other module from the user's
// module cache if it is there, and else from the user's proxies.
func proxyEnv(proxy, modCache string) ([]string, error) {
	list, err := output(".", "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	userCache, userProxy, _ := strings.Cut(strings.TrimSpace(list), "\n")
	return []string{
		"GOWORK=off",
		"GOMODCACHE=" + modCache,
		"GOFLAGS=-modcacherw -trimpath", // the cache can be removed, and its path changes no build
		"GOPROXY=" + strings.Join([]string{
			"file://" + filepath.ToSlash(proxy),
			"file://" + filepath.ToSlash(filepath.Join(userCache, "cache", "download")),
			userProxy,
		}, ","),
		"GONOSUMDB=" + rootModule.path, // nested modules included
	}, nil
}
