package http

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vcp.core/runtime/record"
)

// A wrong parameter is 400 here (specification §9.1), where huma has 422; its switch for that is one for the whole process.
// A body that breaks off or is spelled wrong is the client's fault as well, where huma has 500.

// blame corrects the body of such an answer.
func blame(c huma.Context, _ string, v any) (any, error) {
	if e, ok := v.(*huma.ErrorModel); ok {
		body, _ := c.BodyReader().(*noted)
		if status := blamed(e.Status, body); status != e.Status {
			e.Status, e.Title = status, http.StatusText(status)
		}
		if e.Status == http.StatusRequestEntityTooLarge {
			e.Detail = fmt.Sprintf("the body is larger than %d bytes", c.Operation().MaxBodyBytes)
		}
	}
	return v, nil
}

// known refuses parameters that there are not, or twice: who mistypes a filter must not get what he filters out, nor who gives
// two values the choice of one.
func (d *Door) known(c huma.Context, next func(huma.Context)) {
	var names []string
	for _, p := range c.Operation().Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	u := c.URL()
	given := u.Query()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		var wrong string
		switch {
		case slices.Contains(names, name) && len(given[name]) == 1:
			continue
		case slices.Contains(names, name):
			wrong = "is given more than once, and takes one value"
		case len(names) > 0:
			wrong = "is no parameter; there are " + strings.Join(names, ", ")
		default:
			wrong = "is no parameter; there are none"
		}
		_ = huma.WriteErr(d.api, c, http.StatusBadRequest, "validation failed", &huma.ErrorDetail{Location: "query." + record.Key(name), Message: wrong})
		return
	}
	next(c)
}

func blamed(status int, body *noted) int {
	if status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError && body != nil && body.broken {
		return http.StatusBadRequest
	}
	return status
}

// noted is a body that remembers whether it could be read.
type noted struct {
	io.ReadCloser
	broken bool
}

// Read implements io.Reader.
func (n *noted) Read(p []byte) (int, error) {
	read, err := n.ReadCloser.Read(p)
	n.broken = n.broken || err != nil && !errors.Is(err, io.EOF)
	return read, err
}

// blaming corrects its status.
type blaming struct {
	http.ResponseWriter
	body *noted
}

// WriteHeader implements http.ResponseWriter.
func (b blaming) WriteHeader(status int) {
	b.ResponseWriter.WriteHeader(blamed(status, b.body))
}

// Unwrap lets http.ResponseController reach what is below.
func (b blaming) Unwrap() http.ResponseWriter { return b.ResponseWriter }
