package http

import "net/http"

// IsPlain tells tests whether a request goes the short way, as far as its head tells.
func (d *Door) IsPlain(r *http.Request) bool { return d.isPlain(r) }
