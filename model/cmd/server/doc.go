// Package server translates over HTTP.
package server
