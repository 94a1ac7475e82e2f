// Package report reads results and writes the tables of a document from them.
package report
