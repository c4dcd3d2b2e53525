package runtime

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	"vcp.core/runtime/policy/secret"
	"vcp.core/runtime/resource"
	"vcp.core/runtime/transport"
)

// This file joins package resource to the runtime: when resources are published, and what becomes of its
// refusals. What a resource is and how it is published is decided there.

// Resource opens the bytes of a resource of a result, by its sha256. The error is a
// [*resource.NotStoredError] when there is nothing of this hash, or no store.
func (r *Runtime) Resource(ctx context.Context, sha256 string) (io.ReadSeekCloser, error) {
	if r.publisher.Store == nil {
		return nil, &resource.NotStoredError{SHA256: sha256}
	}
	return r.publisher.Store.Open(ctx, sha256)
}

// publish stores the resources and reads the payload again as it is from then on. The time limit of the
// call goes on meanwhile.
func (r *Runtime) publish(ctx context.Context, x *run, p *payload, plan *resource.Plan, s *scratch) (payload, *failure) {
	ctx, cancel := context.WithDeadline(ctx, x.deadline)
	defer cancel()
	published, err := plan.Publish(ctx, x.dir)
	if err != nil {
		return *p, r.unpublished(ctx, x, err)
	}
	// The bytes have shown what each resource is.
	if p.status == call.Success {
		if f := outputs(x.spec, p, plan); f != nil {
			return *p, f
		}
	}
	var told []string
	if x.masked != nil {
		told = secret.Pointers(&s.payload, x.masked, maxTold)
	}
	if err := s.payload.Scan(published.Payload, unlimited(published.Payload)); err != nil {
		return *p, unscannable(errcode.InternalError, "the payload with its resources", err)
	}
	// A secret that stood in a draft may have gone with it.
	if told != nil {
		x.told = []string{}
	}
	for _, pointer := range told {
		if _, there := s.payload.Lookup(pointer); there {
			x.told = append(x.told, pointer)
		}
	}
	done := openPayload(&s.payload)
	done.found = published.Warnings
	return done, nil
}

// unlimited are limits for a document whose parts were within theirs.
func unlimited(src []byte) wire.Limits {
	return wire.Limits{Bytes: len(src), Depth: len(src), Nodes: len(src), Members: len(src)}
}

// unpublished is the failure of a call whose resources were not published.
func (r *Runtime) unpublished(ctx context.Context, x *run, err error) *failure {
	attrs := []slog.Attr{slog.String("tool", x.spec.Tool), slog.String("command", x.spec.Command), slog.Any("error", err)}
	if refusal, ok := errors.AsType[*resource.Refusal](err); ok {
		if refusal.Err != nil { // it may name a path, which only somebody who looks for faults should read
			x.secrets.Logger(r.log).LogAttrs(ctx, slog.LevelDebug, "resource refused", append(attrs, slog.Any("cause", refusal.Err))...)
		}
		return refused(refusal)
	}
	if cause := ctx.Err(); cause != nil {
		return stoppedWhile(cause, x)
	}
	x.secrets.Logger(r.log).LogAttrs(ctx, slog.LevelError, "the resource store failed", attrs...)
	return fail(errcode.InternalError, "the resources of the result could not be stored")
}

// stoppedWhile is the failure of a call that ended while its resources were being stored.
func stoppedWhile(cause error, x *run) *failure {
	f := fromTransport(&transport.StoppedError{Cause: cause}, x.spec, x.limit)
	f.retryable = x.spec.Effect == call.Read || x.spec.Effect == call.Idempotent
	return f
}

// refused is the failure of a payload whose resources were refused.
func refused(refusal *resource.Refusal) *failure {
	f := fail(refusal.Code, "%s", refusal.Message).at(refusal.Pointer).because(refusal.Reason)
	f.details.textIf("resource", refusal.Resource)
	if refusal.Limit >= 0 {
		f.details.int("limit", refusal.Limit)
	}
	if refusal.Size >= 0 {
		f.details.int("size", refusal.Size)
	}
	return f
}

// outputs demands the references that the manifest promises, to resources of the promised kind. A partial
// result may lack some of them.
func outputs(spec *call.Spec, p *payload, plan *resource.Plan) *failure {
	if p.status != call.Success {
		return nil
	}
	for _, o := range spec.ResourceOutputs {
		missing := fail(errcode.InvalidToolResult, "data %s must refer to a resource", quotePointer(o.Field))
		if at, there := p.tape.Lookup("/data" + o.Field); there && plan != nil {
			if kind, role, ok := plan.Bound(at); ok {
				if (o.Kind == "" || o.Kind == string(kind)) && (o.Role == "" || o.Role == string(role)) {
					continue
				}
				missing = fail(errcode.InvalidToolResult, "data %s must refer to a resource of kind %s and role %s, and refers to one of kind %s and role %s",
					quotePointer(o.Field), o.Kind, o.Role, kind, role)
			}
		}
		return missing.at("/data" + o.Field).because(errcode.MissingResourceOutput)
	}
	return nil
}

// undeclared is the failure of data that would be valid but for a file that stands in it, where its schema has
// no room for a reference. It is nil when something else is wrong. d is overwritten.
func undeclared(spec *call.Spec, plan *resource.Plan, list []call.Violation, d *wire.Tape) *failure {
	found := plan.Found()
	if len(found) == 0 {
		return nil
	}
	where := ""
	for _, pointer := range found {
		below := strings.TrimPrefix(pointer, "/data")
		for i := range list {
			if list[i].Pointer == below || strings.HasPrefix(list[i].Pointer, below+"/") {
				where = pointer
			}
		}
		if where != "" {
			break
		}
	}
	if where == "" {
		// Where several forms of data are allowed, violations do not point at the file.
		src := plan.PlainData()
		if d.Scan(src, unlimited(src)) != nil || spec.Output.Verdict(d) != wire.Valid {
			return nil
		}
		where = found[0]
	}
	return fail(errcode.InvalidToolResult, "%s holds a file as text, and the output schema has no room for a reference to a resource there", quotePointer(nearest(where))).
		at(where).because(errcode.UndeclaredMedia)
}

// discard removes what the plugin wrote for the call and nobody needs any more: it is in the store, or never
// will be.
func (r *Runtime) discard(ctx context.Context, x *run) {
	if x.dir == "" {
		return
	}
	process, output := x.spec.Protocol != "direct", x.output // a process writes there by itself
	switch {
	case process:
	case output == nil:
		return
	case !output.Used():
		_ = output.Close()
		return
	}
	dir, tool, invocation := x.dir, x.spec.Tool, x.parts.Execution.InvocationID
	done := make(chan struct{})
	r.late.Add()
	go func() {
		defer r.late.Done()
		defer close(done)
		var err error
		if output != nil {
			err = output.Close()
		}
		if process {
			err = errors.Join(err, resource.Remove(dir, invocation))
		}
		if err != nil {
			r.forget(tool)
			r.log.LogAttrs(ctx, slog.LevelWarn, "files of a call were not removed", slog.String("tool", tool), slog.Any("error", err))
		}
	}()
	patience := time.NewTimer(removal)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C: // a plugin may have made any number of files
	}
}

// removal is how long a call waits until its files are gone. The rest is removed behind its back.
const removal = 200 * time.Millisecond

// jsonType names the JSON type of a value that must not be quoted.
func jsonType(got string) string {
	switch {
	case strings.HasPrefix(got, `"`):
		return "a string"
	case strings.HasPrefix(got, "{"):
		return "an object"
	case strings.HasPrefix(got, "["):
		return "an array"
	default:
		return "something else"
	}
}

// pathless takes values out of violations by drafts that may be a local path, whatever member they stand in.
func pathless(list []call.Violation) []call.Violation {
	for i := range list {
		v := &list[i]
		if v.Pointer != "" && v.Pointer != "/resources" && !strings.HasPrefix(v.Pointer, "/resources/") {
			continue
		}
		if strings.ContainsAny(v.Got, `{/\`) || strings.HasSuffix(v.Pointer, "/localPath") {
			v.Got = jsonType(v.Got)
		}
	}
	return list
}
