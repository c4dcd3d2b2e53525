package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"vcp.core/contract/call"
)

// describe writes what somebody who wants to call a tool asks for. The specs are those of one tool.
func (a *app) describe(c *catalog, specs []*call.Spec) error {
	var b bytes.Buffer
	first := specs[0]
	tool := first.Tool
	name := tool
	if first.DisplayName != "" && first.DisplayName != tool {
		name += " (" + oneLine(first.DisplayName) + ")"
	}
	fmt.Fprintf(&b, "%s %s\nprotocol %s, contract %s\n", name, first.Version, first.Protocol, c.contract(tool))
	if reason := c.unavailable(first); reason != "" {
		fmt.Fprintf(&b, "unavailable: %s\n", oneLine(reason))
	}
	for _, s := range specs {
		if err := describeCommand(&b, s); err != nil {
			return err
		}
	}
	_, err := io.WriteString(a.stdout, harmless(b.String()))
	return err
}

func describeCommand(b *bytes.Buffer, s *call.Spec) error {
	fmt.Fprintf(b, "\n%s.%s\n", s.Tool, s.Command)
	for _, line := range []string{s.Title, s.Description} {
		if line != "" {
			fmt.Fprintf(b, "  %s\n", oneLine(line))
		}
	}
	facts := []string{"effect " + string(s.Effect), string(s.Kind), "time limit " + s.Timeout.String()}
	for _, fact := range []struct {
		holds bool
		text  string
	}{{s.Disabled, "disabled"}, {s.RequiresAdmin, "needs an administrator"}, {s.Approval == call.Always, "needs approval"}, {len(s.Scopes) > 0, "scopes " + strings.Join(s.Scopes, ", ")}} {
		if fact.holds {
			facts = append(facts, fact.text)
		}
	}
	fmt.Fprintf(b, "  %s\n", strings.Join(facts, "; "))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	ports(w, "arguments", s.Inputs, s.InputSchema)
	ports(w, "data", s.Outputs, s.OutputSchema)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range s.ResourceOutputs {
		fmt.Fprintf(b, "  brings a resource at %s: %s\n", r.Field, r.Kind)
	}
	if len(s.ErrorCodes) > 0 {
		fmt.Fprintf(b, "  errors: %s\n", strings.Join(s.ErrorCodes, ", "))
	}
	for _, example := range s.Examples {
		var compact bytes.Buffer
		if err := json.Compact(&compact, example); err != nil {
			return err
		}
		fmt.Fprintf(b, "  $ vcp call %s.%s --args %s\n", s.Tool, s.Command, shellQuoted(compact.String()))
	}
	return nil
}

// ports lists what a schema declares, a line each.
func ports(w io.Writer, what string, list []call.Port, schema json.RawMessage) {
	if len(list) == 0 {
		_, _ = fmt.Fprintf(w, "  %s: none are declared\n", what)
		return
	}
	_, _ = fmt.Fprintf(w, "  %s:\n", what)
	portLines(w, "    ", list, schema)
}

func portLines(w io.Writer, indent string, list []call.Port, schema json.RawMessage) {
	for _, p := range list {
		words := wordsAt(schema, p.Pointer)
		kind := p.Type
		if p.Type == "array" && p.Element != "" {
			kind = "array of " + p.Element
		}
		if p.Format != "" {
			kind += " (" + p.Format + ")"
		}
		if p.Unit != "" {
			kind += " in " + p.Unit
		}
		if p.Optional {
			kind += ", optional"
		}
		var preset bytes.Buffer
		if json.Compact(&preset, words.Default) == nil {
			kind += ", default " + preset.String()
		}
		line := indent + p.Pointer + "\t" + kind
		if about := cmp.Or(words.Description, p.Title); about != "" {
			line += "\t" + strings.Join(strings.Fields(about), " ")
		}
		_, _ = fmt.Fprintln(w, line)
		portLines(w, indent+"  ", p.Items, words.Items)
	}
}

// words are what a schema says to people, and where it goes on.
type words struct {
	Description string
	Default     json.RawMessage
	Properties  map[string]json.RawMessage
	Items       json.RawMessage
}

// wordsAt reads what a schema says about a place. It follows members and no references: what it does not find
// is left out.
func wordsAt(schema json.RawMessage, pointer string) words {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		var w words
		if json.Unmarshal(schema, &w) != nil {
			return words{}
		}
		schema = w.Properties[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	var at words
	if json.Unmarshal(schema, &at) != nil {
		return words{}
	}
	return at
}

// shellQuoted quotes a text for a POSIX shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
