package http

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"vcp.core/contract/wire"
	"vcp.core/runtime/door/token"
	"vcp.core/runtime/door/view"
	"vcp.core/runtime/record"
)

// inline are the media types that a browser may show by itself. Everything else is a download: a page or a drawing that
// a tool made must not run as ours.
var inline = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "audio/mpeg", "audio/ogg", "audio/wav", "audio/mp4",
	"video/mp4", "video/webm", "application/pdf", "text/plain",
}

// resource sends the bytes of a resource of a result that the caller may see.
func (d *Door) resource(w http.ResponseWriter, r *http.Request) {
	ctx, id := r.Context(), r.PathValue("id")
	c := callerOf(ctx)
	if !c.reads() {
		lacking(token.ResultsRead).write(w) // whether it is there is nobody's business
		return
	}
	missing := "there is no resource " + record.Key(id)
	if d.o.Records == nil {
		problem(w, http.StatusNotFound, missing)
		return
	}
	limited, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	named, err := d.o.Records.Resource(limited, id)
	if err != nil {
		if errors.As(err, new(*record.NotFoundError)) {
			problem(w, http.StatusNotFound, missing)
			return
		}
		problem(w, http.StatusServiceUnavailable, d.storeFailed(ctx, err).Error())
		return
	}
	kept, err := d.recordFor(ctx, &c, named.ResultID)
	if err != nil {
		if statusOf(err) == http.StatusNotFound {
			problem(w, http.StatusNotFound, missing)
			return
		}
		problem(w, statusOf(err), err.Error())
		return
	}
	media, name, shown := described(&kept, id, &c)
	if !shown {
		problem(w, http.StatusNotFound, missing)
		return
	}
	if named.SHA256 == "" {
		problem(w, http.StatusNotFound, "the resource "+record.Key(id)+" is not kept here; its result tells its address")
		return
	}
	file, err := d.o.Runtime.Resource(ctx, named.SHA256)
	if errors.Is(err, fs.ErrNotExist) {
		problem(w, http.StatusNotFound, "the bytes of the resource are not kept any more")
		return
	}
	if err != nil {
		d.o.Logger.LogAttrs(ctx, slog.LevelError, "a resource cannot be opened", slog.String("resourceId", id), slog.Any("error", err))
		problem(w, http.StatusServiceUnavailable, "the resource cannot be opened now")
		return
	}
	defer file.Close() //nolint:errcheck // it was only read
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", disposition(media, name))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, immutable, max-age=86400")
	h.Set("ETag", `"`+named.SHA256+`"`)
	http.ServeContent(w, r, "", time.Time{}, file)
}

// described finds what a result says about a resource, false when it says nothing to this caller.
func described(kept *record.Record, id string, c *caller) (media, name string, shown bool) {
	sealed, err := kept.Sealed()
	if err != nil {
		return "", "", false
	}
	list, err := view.Resources(sealed, c.reader())
	var t wire.Tape
	if err != nil || t.Scan([]byte(list), wire.Limits{}) != nil || t.Kind(t.Root()) != wire.KindArray {
		return "", "", false
	}
	for e := t.FirstChild(t.Root()); e < t.Next(t.Root()); e = t.Next(e) {
		text := func(member string) string {
			if at, ok := t.Find(e, member); ok && t.Kind(at) == wire.KindString {
				return t.String(at)
			}
			return ""
		}
		if text("id") != id {
			continue
		}
		media = text("mimeType")
		if _, _, err := mime.ParseMediaType(media); err != nil {
			media = "application/octet-stream"
		}
		return media, text("fileName"), true
	}
	return "", "", false
}

// disposition says whether a browser shows the bytes, and under which name it keeps them (RFC 6266).
func disposition(media, name string) string {
	kind := "attachment"
	bare, _, _ := strings.Cut(media, ";")
	if slices.Contains(inline, strings.TrimSpace(strings.ToLower(bare))) {
		kind = "inline"
	}
	if name == "" {
		return kind
	}
	if out := mime.FormatMediaType(kind, map[string]string{"filename": name}); out != "" {
		return out
	}
	return fmt.Sprintf("%s; filename=resource", kind)
}
