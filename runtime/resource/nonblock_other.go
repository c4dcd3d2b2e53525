//go:build !unix

package resource

// nonblock is nothing where folders hold no FIFOs.
const nonblock = 0
