package main

import (
	"bufio"
	"fmt"

	"vcp.core/contract/wire"
	"vcp.core/gen/load"
	"vcp.core/gen/resolve"
	"vcp.core/gen/sample"
)

type sampleCmd struct {
	Schema        string `arg:"" help:"File of the schema. Its $refs to files are looked up beside it; nothing is ever fetched."`
	Count         int    `name:"count" short:"n" help:"How many documents. Default: 1" default:"1" placeholder:"N"`
	Seed          uint64 `help:"The first seed; the same seed gives the same documents. Default: ${default}" default:"1" placeholder:"S"`
	Invalid       bool   `help:"Make documents that the schema refuses, each for as little as possible."`
	AssertFormats bool   `help:"Make the keyword format decide; it is an annotation otherwise. Valid documents have good formats either way."`
}

// Help is the long help of the verb.
func (sampleCmd) Help() string {
	return `Prints documents that a schema allows, one a line: to see what a schema means, or to feed a program. With --invalid
they are beside the border: each breaks a rule, one after the other, and little else. Every keyword of drafts 2020-12,
2019-09 and 07 counts; without $schema a schema is 2020-12.

Every document is judged by the validator before it is printed. The same schema and seed make the same documents.

Examples:
  vcp schema sample person.schema.json
  vcp schema sample person.schema.json -n 100 --seed 7 > people.jsonl
  vcp schema sample person.schema.json -n 20 --invalid | vcp schema validate person.schema.json - --lines

Exit code: 0 all were made, 1 there were not enough, or the schema allows nothing, 2 the schema cannot be used, or
wrong use.`
}

// triesEach is how many seeds are tried for a document before the verb gives up. A seed for which the sampler spent all
// that it may counts as many: others will hardly do better.
const (
	triesEach      = 200
	exhaustedCount = 20
)

// Run runs the verb.
func (c *sampleCmd) Run(a *app) error {
	if c.Count < 1 {
		return wrongUse("", "the count must be at least 1")
	}
	s, err := a.compileSchema(c.Schema, switches{assertFormats: c.AssertFormats})
	if err != nil {
		return err
	}
	source, err := sample.New(s.file.Root, sample.Options{URI: resolve.FileURI(s.file.Name), Documents: nodesOf(append(resolve.MetaSchemas(), s.documents...))})
	if err != nil {
		return wrongUse("", "the schema %s cannot be used: %v", c.Schema, err)
	}
	if !c.Invalid && source.Empty() {
		return &stop{code: exitFindings, message: fmt.Sprintf("the schema %s allows nothing: its rules contradict each other, or every document would be endless", c.Schema),
			hint: "vcp schema sample --invalid shows what it refuses; vcp schema validate says why"}
	}
	out := bufio.NewWriter(a.stdout)
	made := 0
	var t wire.Tape
	spent := source.Exhausted()
	for seed, tries := c.Seed, 0; made < c.Count && tries+exhaustedCount*(source.Exhausted()-spent) < triesEach; seed, tries = seed+1, tries+1 {
		doc, want := source.Near(seed), wire.Invalid
		if !c.Invalid {
			var ok bool
			if doc, ok = source.Valid(seed); !ok {
				continue
			}
			want = wire.Valid
		}
		if t.Scan(doc, wire.Limits{}) != nil || s.validator.Verdict(&t) != want {
			continue
		}
		if _, err := out.Write(append(t.AppendCompact(nil, t.Root()), '\n')); err != nil {
			return err
		}
		made, tries, spent = made+1, 0, source.Exhausted()
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if made < c.Count {
		return &stop{code: exitFindings, message: fmt.Sprintf("%s of %d were made", count(made, "document"), c.Count), hint: c.whyFew(source)}
	}
	return nil
}

// whyFew says why there are not as many documents as were asked for.
func (c *sampleCmd) whyFew(source *sample.Source) string {
	switch {
	case source.Exhausted() > 0:
		return "the schema is too large, or asks for too much, to look any longer"
	case !c.Invalid:
		return "the schema may allow nothing, or ask for more than can be found by trying; another --seed may help"
	case source.Rules() == 0:
		return "the schema has no rule that a document could break"
	default:
		return "the schema may allow everything"
	}
}

// nodesOf are documents as gen/sample takes them.
func nodesOf(documents []resolve.Document) map[string]*load.Node {
	nodes := map[string]*load.Node{}
	for _, d := range documents {
		uri := d.URI
		if uri == "" {
			uri = resolve.FileURI(d.File.Name)
		}
		nodes[uri] = d.File.Root
	}
	return nodes
}
