package secret

import (
	"context"
	"fmt"
	"log/slog"
)

type contextKey struct{}

// NewContext gives the set of a call to whoever works for it: a transport masks with it what it quotes and
// logs.
func NewContext(ctx context.Context, s *Set) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, s)
}

// FromContext returns the set of a call, nil when it has none.
func FromContext(ctx context.Context) *Set {
	s, _ := ctx.Value(contextKey{}).(*Set)
	return s
}

// Logger returns a logger that masks before it logs: messages, texts, errors and whatever prints as a text.
func (s *Set) Logger(l *slog.Logger) *slog.Logger {
	if s == nil {
		return l
	}
	return slog.New(&handler{l.Handler(), s})
}

type handler struct {
	slog.Handler
	set *Set
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	masked := slog.NewRecord(r.Time, r.Level, h.set.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, masked)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		masked[i] = h.attr(a)
	}
	return &handler{h.Handler.WithAttrs(masked), h.set}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.set}
}

// printed is a value as text. An error whose method panics is told by its type.
func printed(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", v)
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case []byte:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(h.set.Text(a.Value.String()))
	case slog.KindGroup:
		group := a.Value.Group()
		masked := make([]slog.Attr, len(group))
		for i, m := range group {
			masked[i] = h.attr(m)
		}
		a.Value = slog.GroupValue(masked...)
	case slog.KindAny:
		text := printed(a.Value.Any()) // an error quotes, and cuts what it quotes
		if masked := h.set.Quote(text); masked != text {
			a.Value = slog.StringValue(masked)
		}
	default: // numbers, times and durations hold no text
	}
	return a
}
