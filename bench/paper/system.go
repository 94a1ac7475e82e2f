package main

import (
	"fmt"

	"github.com/softsearch-go/softsearch/model"
)

// A system is a row of Table 1: an architecture, and the most words on a side of the sentences
// that it learns from.
type system struct {
	Kind  model.Kind `json:"kind"`
	Limit int        `json:"limit"`
}

// systems returns the rows in the order of the paper.
func systems(short, long int) []system {
	return []system{{model.RNNencdec, short}, {model.RNNsearch, short}, {model.RNNencdec, long}, {model.RNNsearch, long}}
}

// name returns what the paper calls the system.
func (s system) name() string {
	return map[model.Kind]string{model.RNNencdec: "RNNencdec", model.RNNsearch: "RNNsearch"}[s.Kind] + fmt.Sprintf("-%d", s.Limit)
}

// file returns the name of the system's files, without extension.
func (s system) file() string { return fmt.Sprintf("%s-%d", s.Kind, s.Limit) }
