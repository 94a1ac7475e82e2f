package main

import "fmt"

// A number is the value of a flag and the bounds of it.
type number struct {
	flag               string
	value, least, most int
}

// checkNumbers returns an error for the first value out of bounds.
func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		if n.value < n.least || n.value > n.most {
			return fmt.Errorf("--%s %d: expected %d to %d", n.flag, n.value, n.least, n.most)
		}
	}
	return nil
}
