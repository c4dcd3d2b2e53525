// Package generated holds every type under generated/ to the laws of fuzz/laws.
//
// Data flow: the decoders and judges that stand in generated/ -> [Table], which finds them by reading Go
// source -> table_gen_test.go -> laws.Check. A decoder that is generated and not in the table fails the test;
// one that is in the table and not generated any more keeps it from compiling. Both are settled by go
// generate, which needs neither.
//
// The package knows no type by name, and is imported by its own generator only.
package generated

//go:generate go run gen_table.go
