package runtime

import (
	"strings"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
)

// prepared is a call whose arguments are the command's.
type prepared struct {
	spec      *call.Spec
	tool      *tool  // nil when the registry lists no command of the tool
	arguments []byte // valid, defaults applied, compact; nobody else holds them
}

// choose finds the command of a call and makes its arguments ready. Whatever it learned on the way stands
// in x, also when it fails: a result names the tool as far as it is known.
//
// That a tool is switched off is found before its arguments are judged: correcting them would gain nothing.
func (r *Runtime) choose(x *run, s *scratch) *failure {
	c, plan := &x.call, x.plan
	x.tool = plan.tools[c.Tool]
	if x.tool == nil {
		if _, known := plan.registry.Lookup(c.Tool, c.Command); !known {
			return plan.noTool(c.Tool)
		}
	}
	if x.tool != nil && x.tool.spec.Disabled {
		return fail(errcode.ToolDisabled, "the tool %s is switched off", c.Tool)
	}
	command := c.Command
	if command != "" { // the cheap failures come first
		if f := plan.find(x, command); f != nil {
			return f
		}
	}
	src := c.Arguments
	if src == nil {
		src = []byte("{}")
	}
	t := &s.arguments
	if err := t.Scan(src, r.limits.Arguments); err != nil {
		return unscannable(errcode.InvalidArgument, "the arguments", err)
	}
	if t.Kind(t.Root()) != wire.KindObject {
		return fail(errcode.InvalidArgument, "the arguments must be one JSON object, got %s", kindWord(t.Kind(t.Root()))).at("").because(errcode.SchemaMismatch)
	}
	inside := false
	if command == "" {
		var f *failure
		if command, f = commandInside(c.Tool, x.tool, t); f != nil {
			return f
		}
		if f := plan.find(x, command); f != nil {
			if x.spec == nil {
				f.at(discriminatorPointer(x.tool))
			}
			return f
		}
		inside = true
	}
	var changed bool
	if x.arguments, changed = complete(t, x.spec, inside); changed {
		// Completion may have pushed the arguments over a limit.
		if err := t.Scan(x.arguments, r.limits.Arguments); err != nil {
			return unscannable(errcode.InvalidArgument, "the arguments", err)
		}
	}
	return plan.judgeArguments(x.spec, t)
}

// find looks a command up.
func (s *snapshot) find(x *run, command string) *failure {
	if x.spec, _ = s.registry.Lookup(x.call.Tool, command); x.spec == nil {
		return unknownCommand(x.call.Tool, command, x.tool)
	}
	if x.spec.Disabled {
		return fail(errcode.ToolDisabled, "%s.%s is switched off", x.call.Tool, command)
	}
	return nil
}

// complete returns the arguments as the command gets them, in bytes that belong to nobody else: compact,
// otherwise as they were sent, with what is missing at the end. Missing are the discriminator, where the
// input schema declares it as this command's constant, and members with a default (DESIGN §4).
//
// inside says that the command was found in the arguments. Where the input schema does not declare the
// discriminator, it was no argument of the command but a part of the address, and is taken out.
//
// changed says that something was added or taken out, so that the tape describes other arguments.
func complete(t *wire.Tape, spec *call.Spec, inside bool) (arguments []byte, changed bool) {
	remove := inside && !spec.SuppliesDiscriminator
	grown := 0
	for i := range spec.Defaults {
		grown += len(spec.Defaults[i].Name) + len(spec.Defaults[i].Value) + len(`,"":`)
	}
	root := t.Root()
	o := object{buf: make([]byte, 0, len(t.Raw(root))+grown+len(spec.Discriminator)+len(spec.Command)+len(`,"":""`))}
	if remove {
		for m := t.Members(root); m.Next(); {
			if t.NameEqual(m.Name, spec.Discriminator) {
				changed = true
				continue
			}
			o.separate()
			o.buf = append(o.buf, t.Raw(m.Name)...)
			o.buf = append(o.buf, ':')
			o.buf = t.AppendCompact(o.buf, m.Value)
		}
	} else if t.Count(root) > 0 {
		o.buf = t.AppendCompact(o.buf, root)
		o.buf = o.buf[:len(o.buf)-1] // reopened: the brace comes last
	}
	if spec.SuppliesDiscriminator {
		if _, there := t.Find(root, spec.Discriminator); !there {
			o.text(spec.Discriminator, spec.Command)
			changed = true
		}
	}
	for i := range spec.Defaults {
		d := &spec.Defaults[i]
		if spec.SuppliesDiscriminator && d.Name == spec.Discriminator {
			continue // a constant that states a default as well
		}
		if _, there := t.Find(root, d.Name); !there {
			o.raw(d.Name, d.Value)
			changed = true
		}
	}
	return o.bytes(), changed
}

// judgeArguments asks the input schema about the arguments on the tape.
func (s *snapshot) judgeArguments(spec *call.Spec, t *wire.Tape) *failure {
	if spec.Input.Verdict(t) == wire.Valid {
		return nil
	}
	list := s.explain.input(spec, t)
	if len(list) == 0 {
		return fail(errcode.InternalError, "the input schema of %s.%s refuses the arguments and says nothing about why", spec.Tool, spec.Command)
	}
	text, first := subject{"argument", "the arguments"}.explain(list)
	code := errcode.InvalidArgument
	if first.Missing != "" {
		code = errcode.MissingArgument
	}
	f := fail(code, "%s", text).at(target(first))
	if first.Reason != "" {
		f.because(first.Reason)
	} else {
		f.because(errcode.SchemaMismatch)
	}
	f.addViolations(list, "")
	return f
}

// commandInside takes the command from the arguments (specification §9.1).
func commandInside(name string, known *tool, t *wire.Tape) (string, *failure) {
	if known == nil {
		return "", fail(errcode.UnknownCommand, "the tool %s has no commands", name)
	}
	at, there := t.Find(t.Root(), known.discriminator)
	if !there {
		f := fail(errcode.MissingArgument, "the call names no command: give %q as one of %s", known.discriminator, strings.Join(known.commands, ", "))
		f.details.texts("commands", known.commands)
		return "", f.at(discriminatorPointer(known))
	}
	if t.Kind(at) != wire.KindString {
		f := fail(errcode.InvalidArgument, "the member %q names the command: expected a string, got %s", known.discriminator, kindWord(t.Kind(at)))
		f.details.texts("commands", known.commands)
		return "", f.at(discriminatorPointer(known))
	}
	return t.String(at), nil
}

func discriminatorPointer(known *tool) string {
	return string(wire.AppendPointer(nil, known.discriminator))
}

// noTool is the failure of a call to a tool that is not registered.
func (s *snapshot) noTool(name string) *failure {
	f := fail(errcode.ToolNotFound, "there is no tool %q", short(name))
	if near := s.closestTool(name); near != "" {
		f.message += "; did you mean " + near + "?"
		f.details.text("closest", near)
	} else if tool, command := s.commandIn(name); command != "" {
		f.message += "; did you mean the command " + command + " of the tool " + tool + "?"
		f.details.text("closest", tool)
	}
	return f
}

// unknownCommand names the commands that there are, so that the caller can choose.
func unknownCommand(name, command string, known *tool) *failure {
	f := fail(errcode.UnknownCommand, "the tool %s has no command %q", name, short(command))
	if known != nil {
		f.message += "; it has " + strings.Join(known.commands, ", ")
		f.details.texts("commands", known.commands)
	}
	return f
}

// kindWord names a JSON type with its article.
func kindWord(k wire.Kind) string {
	switch k {
	case wire.KindNull:
		return "null"
	case wire.KindFalse, wire.KindTrue:
		return "a boolean"
	case wire.KindNumber:
		return "a number"
	case wire.KindString:
		return "a string"
	case wire.KindArray:
		return "an array"
	case wire.KindObject:
		return "an object"
	default:
		return "nothing"
	}
}

// short cuts what a caller wrote to a length that a sentence can carry: 80 code points.
func short(s string) string { return wire.Shorten(s, 80) }
