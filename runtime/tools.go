package runtime

import (
	"bytes"
	"slices"
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	"vcp.core/runtime/policy/secret"
)

// tool is what the runtime needs to know about a tool before it knows the command.
type tool struct {
	spec          *call.Spec // of its first command; its tool-wide members speak for all
	discriminator string
	commands      []string // in manifest order
	defaults      map[*call.Spec]defaults
}

// defaults are what a command's manifest says for a payload that is silent, and about its arguments.
type defaults struct {
	presentation completion
	advice       completion
	credentials  *secret.Schema // which arguments are secret; nil for none
	settings     *secret.Schema // which settings are secret; nil for none
}

// completion is what an object lacks that says nothing: all of it when there is no object at all.
type completion struct {
	members []member
	whole   []byte // the members as one object; nil for no default
}

// member is a member of a default: its name and its value, raw.
type member struct {
	name  string
	value []byte
}

func indexTools(registry call.Registry) map[string]*tool {
	tools := map[string]*tool{}
	for _, spec := range registry.Specs() {
		t := tools[spec.Tool]
		if t == nil {
			t = &tool{spec: spec, discriminator: spec.Discriminator, defaults: map[*call.Spec]defaults{}}
			tools[spec.Tool] = t
		}
		t.commands = append(t.commands, spec.Command)
		t.defaults[spec] = defaultsOf(spec)
	}
	return tools
}

// defaultsOf splits the raw defaults of a spec into members. Every advice needs a list of resources and a
// priority (specification §5.9); where the manifest leaves them to the runtime, they are none and normal.
func defaultsOf(spec *call.Spec) defaults {
	advice := members(spec.Advice)
	if advice != nil {
		advice = addMissing(advice, member{"resourceIds", []byte("[]")})
		advice = addMissing(advice, member{"priority", []byte(`"normal"`)})
	}
	return defaults{
		presentation: completionBy(members(spec.Presentation)), advice: completionBy(advice),
		credentials: secret.NewSchema(spec.InputSchema),
		settings:    secret.NewSchema(spec.ConfigSchema),
	}
}

func completionBy(list []member) completion {
	c := completion{members: list}
	if list != nil {
		c.whole = appendMissing(object{}, nil, -1, list).bytes()
	}
	return c
}

// members splits a raw object, nil for anything else.
func members(raw []byte) []member {
	var t wire.Tape
	if len(raw) == 0 || t.Scan(raw, wire.Limits{}) != nil || t.Kind(t.Root()) != wire.KindObject {
		return nil
	}
	list := []member{}
	for m := t.Members(t.Root()); m.Next(); {
		list = append(list, member{t.String(m.Name), bytes.Clone(t.Raw(m.Value))})
	}
	return list
}

func addMissing(list []member, m member) []member {
	for _, have := range list {
		if have.name == m.name {
			return list
		}
	}
	return append(list, m)
}

// closestTool returns a registered name that differs in letter case or in spaces, hyphens, underscores and
// dots only, "" when there is none. It never lists what else is registered: who may know that is decided
// elsewhere.
func (s *snapshot) closestTool(name string) string {
	want := fold(name)
	best := ""
	for have := range s.tools {
		if fold(have) == want && (best == "" || have < best) {
			best = have
		}
	}
	return best
}

// commandIn splits a name that is Tool.Command, as people write it. It returns nothing when there is no such command.
func (s *snapshot) commandIn(name string) (tool, command string) {
	dot := max(strings.LastIndexByte(name, '.'), 0)
	if known := s.tools[name[:dot]]; known != nil && slices.Contains(known.commands, name[dot+1:]) {
		return name[:dot], name[dot+1:]
	}
	return "", ""
}

var separators = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "")

func fold(name string) string { return separators.Replace(strings.ToLower(name)) }
