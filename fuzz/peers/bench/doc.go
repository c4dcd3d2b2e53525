// Package bench measures live validation beside jsonschema v6 and v5 on the same document in the same
// run. It holds benchmarks only. Each engine stands in two rows, from what its caller has at hand: bytes
// (decoding or scanning included) and the form it validates (a decoded value, a tape).
package bench
