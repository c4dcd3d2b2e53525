package resource

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
	"vcp.core/contract/wire"
	v1 "vcp.core/generated/protocol/v1"
)

// Published is a payload whose resources are.
type Published struct {
	Payload  []byte // with descriptors in place of drafts; references follow
	Warnings []call.Warning
	Bytes    int64 // that were stored
}

// Publish stores the resources and returns the payload as it is from now on. dir is the folder that local
// paths start from, "" when the plugin has none. The error is a [*Refusal], the context's, or the store's.
//
// Everything that can be refused without reading a file is refused before the first one is stored. What was
// stored before a later one is refused stays in the store without a name: to delete it could take it away
// from another call that has just brought the same bytes.
func (l *Plan) Publish(ctx context.Context, dir string) (*Published, error) {
	root, err := l.openRoot(dir)
	if err != nil {
		return nil, err
	}
	if root != nil {
		defer func() { _ = root.Close() }()
	}
	if r := l.look(root); r != nil {
		return nil, r
	}
	out := &Published{}
	list := []byte{'['}
	for i := range l.items {
		d, err := l.publish(ctx, root, i, out)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = d.AppendJSON(list)
	}
	edits := append(l.found(), l.edits...)
	n := l.tape.Node(l.at.Resources)
	edits = append(edits, edit{n.Start, n.End, append(list, ']')})
	all := l.tape.Node(l.tape.Root())
	out.Payload = splice(l.tape.Source(), all.Start, all.End, edits)
	return out, nil
}

// openRoot opens the plugin's folder when a draft needs it.
func (l *Plan) openRoot(dir string) (*os.Root, error) {
	for i := range l.items {
		if _, needs := l.items[i].draft.LocalPath.Get(); !needs {
			continue
		}
		if dir == "" {
			return nil, refuse(errcode.PathEscape, draftPointer(i, "localPath"), "a resource has a localPath, but the plugin has no folder to publish from")
		}
		root, err := openFolder(dir)
		if link, is := errors.AsType[*FolderError](err); is {
			r := refuse(errcode.PathEscape, draftPointer(i, "localPath"), "a resource cannot be published: %s", link.Why)
			r.Err = err
			return nil, r
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, l.unopened(i, unopened(err))
		}
		return root, err
	}
	return nil, nil
}

// look refuses what can be refused before anything is stored: paths, encodings, sizes.
func (l *Plan) look(root *os.Root) *Refusal {
	var total int64
	for i := range l.items {
		it := &l.items[i]
		var size int64
		member := "localPath"
		if path, is := it.draft.LocalPath.Get(); is {
			stat, fault := lookLocal(root, path)
			if fault != nil {
				return l.unopened(i, fault)
			}
			size = stat.Size()
		}
		if text, is := it.draft.DataURI.Get(); is {
			member = "dataUri"
			u, _ := splitDataURI(text)
			if size = u.size(); size > l.p.Limits.Size+3 { // an upper bound is as far off as that
				return l.tooLarge(i, member, size)
			}
			var ok bool
			if it.bytes, ok = u.decode(); !ok {
				return refuse(errcode.SchemaMismatch, draftPointer(i, member), "the data URI of a resource cannot be decoded")
			}
			it.media = u.mediaType
		}
		if it.bytes != nil {
			size = int64(len(it.bytes))
		}
		if size > l.p.Limits.Size {
			return l.tooLarge(i, member, size)
		}
		if total += size; total > l.p.Limits.Total {
			return l.tooMuch(i, total)
		}
	}
	return nil
}

func (l *Plan) tooLarge(i int, member string, size int64) *Refusal {
	r := refuse(errcode.LimitResources, l.pointer(i, member), "a resource has %d bytes, more than the limit of %d", size, l.p.Limits.Size)
	r.Code = errcode.ResourceTooLarge
	return r.over(l.p.Limits.Size, size)
}

func (l *Plan) tooMuch(i int, total int64) *Refusal {
	return refuse(errcode.LimitResources, l.pointer(i, ""), "the resources of the payload have more than %d bytes together", l.p.Limits.Total).over(l.p.Limits.Total, total)
}

// pointer is the place of an item in the payload.
func (l *Plan) pointer(i int, member string) string {
	switch {
	case i >= l.drafts:
		return l.tape.Pointer(l.items[i].node)
	case member == "":
		return "/resources/" + strconv.Itoa(i)
	default:
		return draftPointer(i, member)
	}
}

func (l *Plan) unopened(i int, fault *OpenError) *Refusal {
	r := refuse(fault.Reason, draftPointer(i, "localPath"), "a resource cannot be published: its localPath %s", fault.Fault)
	r.Err = fault.Err
	return r
}

// publish stores one resource and describes it.
func (l *Plan) publish(ctx context.Context, root *os.Root, i int, out *Published) (v1.ResourceDescriptor, error) {
	it := &l.items[i]
	d := v1.ResourceDescriptor{ID: it.id, Kind: it.kind, Role: it.role}
	describe(&d, &it.draft)
	if url, is := it.draft.URL.Get(); is {
		external(&d, &it.draft, url)
		return d, nil
	}
	p, blob, err := l.store(ctx, root, i, out)
	if err != nil {
		return d, err
	}
	if want, ok := it.draft.SHA256.Or(wire.Nullable[string]{}).Get(); ok && want != blob.SHA256 {
		return d, refuse(errcode.DanglingResource, draftPointer(i, "sha256"), "the bytes of a resource are not those that its sha256 names")
	}
	declared := it.draft.MimeType.Or("")
	name := it.draft.FileName.Or(it.draft.LocalPath.Or(""))
	settled, mediaStood := mediaType(p.head, claims{dataURI: it.media, extension: byExtension(name), draft: declared})
	claimed := it.kind
	kind, kindStood := kindOf(claimed, settled)
	it.kind, d.Kind = kind, kind
	if !mediaStood || !kindStood {
		out.Warnings = append(out.Warnings, mismatch(i, it.id, declared, settled, claimed, kind))
	}
	d.MimeType = withCharset(settled, it.media, declared)
	d.SizeBytes = wire.NotNull(wire.IntOf(blob.Size))
	d.SHA256 = wire.NotNull(blob.SHA256)
	if width, height, ok := dimensions(settled, p.head); ok {
		d.Dimensions = wire.NotNull(v1.Dimensions{Width: wire.IntOf(int64(width)), Height: wire.IntOf(int64(height))})
	} else if headers[settled] != nil || kind != v1.KindImage && kind != v1.KindVideo {
		d.Dimensions = wire.Nullable[v1.Dimensions]{} // the bytes would have told, or there are none to tell
	}
	d.Access = wire.Some(v1.Access{Type: v1.AccessTypeManaged, RequiresAuth: true})
	return d, nil
}

// store puts the bytes of an item into the store and keeps their beginning.
func (l *Plan) store(ctx context.Context, root *os.Root, i int, out *Published) (*probe, Blob, error) {
	it := &l.items[i]
	var f *file
	limit := int64(len(it.bytes))
	p := &probe{r: bytes.NewReader(it.bytes)}
	if path, is := it.draft.LocalPath.Get(); is {
		var fault *OpenError
		if f, fault = openLocal(root, path); fault != nil {
			return nil, Blob{}, l.unopened(i, fault)
		}
		defer func() { _ = f.Close() }()
		if f.size > l.p.Limits.Size {
			return nil, Blob{}, l.tooLarge(i, "localPath", f.size)
		}
		p.r, limit = f, f.size
	}
	if out.Bytes += limit; out.Bytes > l.p.Limits.Total {
		return nil, Blob{}, l.tooMuch(i, out.Bytes)
	}
	blob, err := l.p.Store.Put(ctx, p, limit)
	_, grew := errors.AsType[*TooLargeError](err)
	switch {
	case f != nil && (grew || err == nil && f.changed(blob.Size)):
		return nil, Blob{}, l.unopened(i, dangles("names a file that was still being written", err))
	case f != nil && p.err != nil:
		return nil, Blob{}, l.unopened(i, dangles("names a file that cannot be read", p.err))
	case err != nil:
		return nil, Blob{}, err
	}
	return p, blob, nil
}

// describe takes over what a plugin alone knows.
func describe(d *v1.ResourceDescriptor, draft *v1.ResourceDraft) {
	if name := draft.FileName.Or(""); name != "" && name != "." && name != ".." {
		d.FileName = wire.NotNull(name)
	}
	d.Source = draft.Source.Or(d.Source)
	d.Dimensions = draft.Dimensions.Or(d.Dimensions)
	d.DurationMs = draft.DurationMs.Or(d.DurationMs)
	d.Metadata = draft.Metadata.Or(nil)
}

// external describes what lies somewhere else and was not fetched: nothing about it is proved, so size and
// hash are null, whatever the plugin expects. Only the core manages addresses.
func external(d *v1.ResourceDescriptor, draft *v1.ResourceDraft, url string) {
	d.MimeType = octetStream
	if declared := base(draft.MimeType.Or("")); declared != "" {
		d.MimeType = withCharset(declared, draft.MimeType.Or(""))
	}
	d.URL = wire.NotNull(url)
	access := draft.Access.Or(v1.Access{Type: v1.AccessTypeExternal})
	if access.Type == v1.AccessTypeManaged {
		access.Type = v1.AccessTypeExternal
	}
	d.Access = wire.Some(access)
}

// mismatch tells that a plugin was wrong about its own bytes.
func mismatch(i int, id, declared, found string, claimed, kind v1.Kind) call.Warning {
	details := wire.AppendQuoted([]byte(`{"resource":`), id)
	said := string(claimed)
	if base(declared) != found && declared != "" {
		said = declared
		details = wire.AppendQuoted(append(details, `,"declared":`...), declared)
	}
	details = wire.AppendQuoted(append(details, `,"found":`...), found)
	if claimed != kind {
		details = wire.AppendQuoted(append(details, `,"declaredKind":`...), string(claimed))
		details = wire.AppendQuoted(append(details, `,"kind":`...), string(kind))
	}
	return call.Warning{
		Code: errcode.MIMEMismatch, Message: "a resource was declared as " + said + ", its bytes are " + found,
		Target: "/resources/" + strconv.Itoa(i), Details: append(details, '}'),
	}
}
