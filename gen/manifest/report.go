package manifest

import (
	"fmt"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/schema"
	"vcp.core/gen/diag"
	"vcp.core/gen/load"
	"vcp.core/gen/protocol"
)

// The codes of this package's diagnostics. Those of the schemas inside a manifest are gen/resolve's and
// gen/ir's, and one of live that judges by a meta-schema.
const (
	CodeSchema               diag.Code = "manifest/schema"                // breaks the manifest schema in a way that has no code of its own
	CodeUnknownMember        diag.Code = "manifest/unknown-member"        // a member that is none of the manifest's
	CodeMissingMember        diag.Code = "manifest/missing-member"        // a required member is absent
	CodeName                 diag.Code = "manifest/name"                  // the plugin's name breaks its grammar (DESIGN §9)
	CodeVersion              diag.Code = "manifest/version"               // the version is no semantic version
	CodeDescription          diag.Code = "manifest/description"           // warning: nothing tells people and models what it is for
	CodeResultProtocol       diag.Code = "manifest/result-protocol"       // it does not declare vcp.tool-result 1.0 (specification §15)
	CodeEntryPoint           diag.Code = "manifest/entry-point"           // entry point and transport do not fit
	CodeTimeout              diag.Code = "manifest/timeout"               // a time limit is out of range
	CodeWorkers              diag.Code = "manifest/workers"               // kept workers that cannot be
	CodeCommandName          diag.Code = "manifest/command-name"          // a command's identifier breaks its grammar
	CodeDuplicateCommand     diag.Code = "manifest/duplicate-command"     // two commands have one identifier
	CodeEffect               diag.Code = "manifest/effect"                // the effect is absent or unknown (DESIGN §4)
	CodeNoSchema             diag.Code = "manifest/no-schema"             // an input or output schema is absent (specification §9.3)
	CodeNotAnObject          diag.Code = "manifest/not-an-object"         // arguments or configuration are an object, the schema says otherwise
	CodeDiscriminatorFree    diag.Code = "manifest/discriminator-free"    // the selecting member is declared, but not as a constant
	CodeDiscriminatorValue   diag.Code = "manifest/discriminator-value"   // the constant is not the command's identifier
	CodeDiscriminatorMissing diag.Code = "manifest/discriminator-missing" // a command lacks the constant that the others have
	CodeDefault              diag.Code = "manifest/default"               // a default value breaks its own schema
	CodeExample              diag.Code = "manifest/example"               // an example breaks the input schema
	CodeErrorCode            diag.Code = "manifest/error-code"            // neither a standard code nor a namespaced one
	CodeView                 diag.Code = "manifest/view"                  // no view's name; warning: a view that nobody here renders
	CodeResourceOutput       diag.Code = "manifest/resource-output"       // the field is not in data; warning: the output schema does not mention it
	CodeMetaSchema           diag.Code = "manifest/meta-schema"           // a schema breaks the meta-schema of its draft, and gen/resolve did not see it
	CodeAgent                diag.Code = "manifest/agent"                 // the agent name is malformed or used twice

	CodeNoManifest    diag.Code = "catalog/no-manifest"    // a path leads to no manifest
	CodeDuplicateName diag.Code = "catalog/duplicate-name" // two plugins have one name
	CodePackageClash  diag.Code = "catalog/package-clash"  // two plugins would have one Go package
	CodeAgentClash    diag.Code = "catalog/agent-clash"    // two plugins have one agent name
)

// checker collects the findings of one manifest.
type checker struct {
	file *load.File
	list diag.List
}

func (c *checker) addf(severity diag.Severity, at value, code diag.Code, hint, format string, args ...any) {
	d := diag.Diagnostic{
		Position: diag.Position{File: c.file.Name},
		Pointer:  at.pointer,
		Severity: severity,
		Code:     code,
		Message:  fmt.Sprintf(format, args...),
		Hint:     hint,
	}
	if at.node != nil {
		d.Position = c.file.Position(at.node.Start)
	}
	c.list = append(c.list, d)
}

func (c *checker) faultf(at value, code diag.Code, hint, format string, args ...any) {
	c.addf(diag.Error, at, code, hint, format, args...)
}

func (c *checker) warnf(at value, code diag.Code, hint, format string, args ...any) {
	c.addf(diag.Warning, at, code, hint, format, args...)
}

// nearest returns the value at a pointer, or the innermost value around it that exists.
func (c *checker) nearest(pointer string) value {
	at := value{c.file.Root, ""}
	tokens, _ := load.SplitPointer(pointer)
	for _, t := range tokens {
		next := at.node.Step(t)
		if next == nil {
			return at
		}
		at = value{next, load.Child(at.pointer, t)}
	}
	return at
}

// here returns the place of a node that may stand in another document, which an author cannot change:
// then it is the place that led there.
func (c *checker) here(node *load.Node, instead value) value {
	if pointer, ok := c.file.PointerTo(node); ok {
		return value{node, pointer}
	}
	return instead
}

// bySchema judges the manifest by the manifest schema and turns every violation into a diagnostic. What
// has a code of its own is told in the words of manifests, the rest in the words of the schema.
func (c *checker) bySchema() {
	_, violations, err := protocol.Validator(schema.Manifest).Check(c.file.Src, load.Limits())
	if err != nil {
		// The file was loaded from these bytes; whoever loaded it allowed more than a manifest may have.
		c.faultf(value{c.file.Root, ""}, CodeSchema, "", "the manifest cannot be judged: %v", err)
	}
	for _, v := range violations {
		c.violation(v)
	}
}

func (c *checker) violation(v call.Violation) {
	at := c.nearest(v.Pointer)
	w := wordsAbout(v)
	switch {
	case w.drop:
		return
	case v.Keyword == "required":
		if missing, ok := wordsForMissing[strings.Trim(strings.TrimPrefix(v.Expected, "member "), `"`)]; ok {
			w = missing
		}
		if w.code == "" {
			w.code = CodeMissingMember
		}
	case v.Keyword == "additionalProperties":
		w.code = CodeUnknownMember
		if match("/*", v.Pointer) || match(commandPath+"/*", v.Pointer) {
			w.hint = `remove it, or begin its name with "x-"`
		}
		if v.Hint != "" {
			w.hint = v.Hint
		}
	case w.code == "":
		w.code = CodeSchema
	case w.code == CodeErrorCode:
		w.hint = first(meant(at.str(), codes()), w.hint)
	case w.code == CodeView:
		w.hint = meant(at.str(), views())
	}
	c.faultf(at, w.code, first(w.hint, v.Hint), "%s", first(w.message, v.Message))
}

// meant is a hint that names the candidate closest to a word, "" when none is close.
func meant(word string, candidates []string) string {
	if best := diag.Meant(word, candidates); best != "" {
		return "did you mean " + best + "?"
	}
	return ""
}

func codes() []string {
	var names []string
	for _, e := range errcode.Entries() {
		names = append(names, string(e.Code))
	}
	return names
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// words say how a violation is told. An empty code, message or hint leaves the general one.
type words struct {
	path    string // pattern of the pointer: "*" is any token, a trailing "/**" anything at or below
	keyword string // "" for any
	code    diag.Code
	message string
	hint    string
	drop    bool // another violation of the same value says it better
}

const commandPath = "/capabilities/invocationCommands/*"

var wordsForMissing = map[string]words{
	"toolResultProtocol": {
		code: CodeResultProtocol, message: "the plugin does not declare the result protocol",
		hint: `add "toolResultProtocol": {"name": "vcp.tool-result", "version": "1.0"}`,
	},
	"pluginType":        {hint: `add "pluginType": "synchronous", "asynchronous" or "hybridservice"`},
	"entryPoint":        {hint: `add "entryPoint": {"argv": ["program", "argument"]} or {"direct": true}`},
	"communication":     {hint: `add "communication": {"protocol": "stdio"} or {"protocol": "direct"}`},
	"capabilities":      {hint: `add "capabilities": {"invocationCommands": […]}`},
	"commandIdentifier": {hint: `add "commandIdentifier", the command's name`},
	"intent":            {hint: `add "intent", or leave aiAdvice out`},
	"inputSchema": {
		code: CodeNoSchema, message: "the command has no input schema",
		hint: `add "inputSchema"; a command without arguments has {"type": "object", "additionalProperties": false}`,
	},
	"outputSchema": {
		code: CodeNoSchema, message: "the command has no output schema",
		hint: `add "outputSchema", the schema of data`,
	},
	"effect": {
		code: CodeEffect, message: "the command does not declare its effect",
		hint: `add "effect": "read", "idempotent", "write" or "destructive"`,
	},
}

var wordsFor = []words{
	{path: "/name", keyword: "pattern", code: CodeName, message: "a plugin's name has 1 to 64 letters, digits, '_', '-' and '.'"},
	{path: "/version", keyword: "pattern", code: CodeVersion, message: "the version must be a semantic version, like 1.0.0"},
	{path: "/toolResultProtocol/**", code: CodeResultProtocol, hint: `the one protocol is {"name": "vcp.tool-result", "version": "1.0"}`},
	{path: "/entryPoint/**", code: CodeEntryPoint, hint: `an entry point is {"argv": ["program", "argument"]} or {"direct": true}`},
	{path: "/communication/timeoutMs", code: CodeTimeout},
	{path: "/communication/graceMs", code: CodeTimeout},
	{path: "/communication/workers/**", code: CodeWorkers},
	{path: commandPath + "/commandIdentifier", keyword: "pattern", code: CodeCommandName, message: "a command's identifier has 1 to 64 letters, digits, '_' and '-', and no dot"},
	{path: commandPath + "/effect", code: CodeEffect},
	{path: commandPath + "/errorCodes/*", keyword: "anyOf", code: CodeErrorCode, message: "an error code is a standard one or has a namespace", hint: "write NAMESPACE.CODE in capitals for a code of the plugin's own"},
	{path: commandPath + "/errorCodes/*", keyword: "enum", drop: true},
	{path: commandPath + "/errorCodes/*", keyword: "pattern", drop: true},
	{path: commandPath + "/errorCodes/*", keyword: "maxLength", drop: true},
	{path: commandPath + "/errorCodes/**", code: CodeErrorCode},
	{path: commandPath + "/presentation/preferredView", keyword: "pattern", code: CodeView, message: "a view's name is lower-case words joined by hyphens"},
	{path: commandPath + "/resourceOutputs/*/field", code: CodeResourceOutput, message: "a field is a JSON Pointer into data, like /image"},
	{path: commandPath + "/resourceOutputs/**", code: CodeResourceOutput},
	{path: commandPath + "/agent/*", keyword: "pattern", code: CodeAgent, message: "an agent name is a lower-case letter and up to 63 lower-case letters, digits and '_'"},
	{path: commandPath + "/agent/**", code: CodeAgent},
}

// wordsAbout returns the first fitting words.
func wordsAbout(v call.Violation) words {
	for _, w := range wordsFor {
		if match(w.path, v.Pointer) && (w.keyword == "" || w.keyword == v.Keyword) {
			return w
		}
	}
	return words{}
}

// match compares a pointer with a pattern of wordsFor.
func match(pattern, pointer string) bool {
	p, deep := strings.CutSuffix(pattern, "/**")
	want, got := strings.Split(p, "/"), strings.Split(pointer, "/")
	if len(got) < len(want) || len(got) > len(want) && !deep {
		return false
	}
	for i, w := range want {
		if w != "*" && w != got[i] {
			return false
		}
	}
	return true
}
