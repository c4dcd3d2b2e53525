//go:build !linux

package main

// kernel is not known.
func kernel() string { return "" }

// filesystem is not known.
func filesystem(string) (free uint64, kind string, known bool) { return 0, "", false }

// limits tells nothing: there is no keeper that would set any.
func (*examination) limits() {}
