// Package peers compares the project's live validator with other people's: the official test suite as
// others ship it, jsonschema v6 as an oracle on tens of thousands of documents, and the deletion of
// every keyword of our own schemas.
//
// It is a module of its own, so that engines which exist only to be compared with never reach the
// project's go.mod. It holds tests and benchmarks only, and nothing imports it.
package peers
