// Package mutate makes documents that are nearly valid: valid ones with one to three changes, aimed at
// the borders that a schema draws, and documents built from a schema alone. Two validators that agree
// on enough of them probably agree; a schema whose keywords can be deleted without any of them
// noticing has a keyword that nothing tests.
//
// Data flow: raw schema documents -> [NewSchema]; that and instance documents -> [New] -> [Maker.Next]
// (a seeded, endless, balanced stream) or [Schema.Neighbours] (every aimed change of one document).
//
// It imports nothing of gen and has its own reading of JSON and of schemas, naive and complete enough:
// if generator and compiler shared a mistake, no comparison would find it. It never judges a document;
// that a mutant is valid or not is for the engines to say.
package mutate
