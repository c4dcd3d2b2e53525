package schedulemanager

import (
	"bytes"
	"encoding/json"

	"vcp.core/contract/call"
	"vcp.core/contract/errcode"
)

// payload is a plugin result payload (specification §5.2) with the members that this plugin uses.
type payload struct {
	Status       call.Status    `json:"status"`
	Data         any            `json:"data"`
	Resources    []struct{}     `json:"resources"`
	Warnings     []struct{}     `json:"warnings"`
	Error        *problem       `json:"error,omitempty"`
	Presentation *presentation  `json:"presentation,omitempty"`
	Extensions   map[string]any `json:"extensions"`
}

// problem is an error (specification §5.2, §6.1); the runtime adds category and cause.
type problem struct {
	Code      errcode.Code   `json:"code"`
	Message   string         `json:"message"`
	Retryable bool           `json:"retryable"`
	Target    *string        `json:"target"` // JSON Pointer into the arguments
	Details   map[string]any `json:"details"`
}

// presentation carries the summary; the preferred view is the manifest's.
type presentation struct {
	Summary string `json:"summary"`
}

// success is a payload with data.
func success(data any, summary string) payload {
	return payload{
		Status: call.Success, Data: data, Resources: []struct{}{}, Warnings: []struct{}{},
		Presentation: &presentation{Summary: summary}, Extensions: map[string]any{},
	}
}

// failure is a payload for an expected failure. An empty target is null.
func failure(code errcode.Code, target, message string, details map[string]any) payload {
	p := payload{
		Status: call.Error, Resources: []struct{}{}, Warnings: []struct{}{}, Extensions: map[string]any{},
		Error: &problem{Code: code, Message: message, Details: details},
	}
	if target != "" {
		p.Error.Target = &target
	}
	return p
}

// encode writes a payload without the HTML escapes that encoding/json adds by default.
func encode(p payload) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
