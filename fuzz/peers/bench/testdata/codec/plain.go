// Package plain is the canonical result as one would write it for sonic or encoding/json.
package plain

import "encoding/json"

// Result has every member of contract/schema/v1/result.schema.json.
type Result struct {
	Protocol struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"protocol"`
	ID     string `json:"id"`
	Status string `json:"status"`
	Tool   struct {
		Name        string  `json:"name"`
		DisplayName *string `json:"displayName"`
		Version     *string `json:"version"`
		Command     *string `json:"command"`
	} `json:"tool"`
	Execution struct {
		InvocationID string       `json:"invocationId"`
		RequestID    string       `json:"requestId"`
		RecordID     *string      `json:"recordId"`
		StartedAt    string       `json:"startedAt"`
		FinishedAt   string       `json:"finishedAt"`
		DurationMs   json.Number  `json:"durationMs"`
		TimeoutMs    *json.Number `json:"timeoutMs"`
		Attempt      json.Number  `json:"attempt"`
	} `json:"execution"`
	Actor *struct {
		Type string  `json:"type"`
		ID   *string `json:"id"`
		Name *string `json:"name"`
		Maid *string `json:"maid"`
	} `json:"actor"`
	Origin struct {
		Source      string  `json:"source"`
		NodeID      *string `json:"nodeId"`
		ServerID    *string `json:"serverId"`
		Distributed bool    `json:"distributed"`
		RequestIP   *string `json:"requestIp"`
	} `json:"origin"`
	Data         json.RawMessage            `json:"data"`
	Resources    []Resource                 `json:"resources"`
	Warnings     []Warning                  `json:"warnings"`
	Error        *Error                     `json:"error"`
	Task         *Task                      `json:"task"`
	Presentation *Presentation              `json:"presentation"`
	AIAdvice     *AIAdvice                  `json:"aiAdvice"`
	Policy       Policy                     `json:"policy"`
	Extensions   map[string]json.RawMessage `json:"extensions"`
}

type Resource struct {
	ID        string       `json:"id"`
	Kind      string       `json:"kind"`
	Role      string       `json:"role"`
	MimeType  string       `json:"mimeType"`
	FileName  *string      `json:"fileName"`
	SizeBytes *json.Number `json:"sizeBytes"`
	SHA256    *string      `json:"sha256"`
	URL       *string      `json:"url"`
	Source    *struct {
		Type     string  `json:"type"`
		Provider *string `json:"provider"`
	} `json:"source"`
	Dimensions *struct {
		Width  json.Number `json:"width"`
		Height json.Number `json:"height"`
	} `json:"dimensions"`
	DurationMs *json.Number               `json:"durationMs"`
	Metadata   map[string]json.RawMessage `json:"metadata"`
	Access     *struct {
		Type         string  `json:"type"`
		ExpiresAt    *string `json:"expiresAt"`
		RequiresAuth bool    `json:"requiresAuth"`
	} `json:"access,omitempty"`
}

type Warning struct {
	Code    string                     `json:"code"`
	Message string                     `json:"message"`
	Target  *string                    `json:"target,omitempty"`
	Details map[string]json.RawMessage `json:"details,omitempty"`
}

type Error struct {
	Code      string                     `json:"code"`
	Message   string                     `json:"message"`
	Category  string                     `json:"category"`
	Retryable bool                       `json:"retryable"`
	Target    *string                    `json:"target"`
	Details   map[string]json.RawMessage `json:"details"`
	Cause     *struct {
		Code    *string `json:"code"`
		Message string  `json:"message"`
	} `json:"cause"`
}

type Task struct {
	ID          string       `json:"id"`
	State       string       `json:"state"`
	Progress    *json.Number `json:"progress"`
	PollAfterMs *json.Number `json:"pollAfterMs"`
	Placeholder *string      `json:"placeholder"`
}

type Presentation struct {
	Summary           *string `json:"summary"`
	Title             *string `json:"title"`
	PreferredView     *string `json:"preferredView"`
	PrimaryResourceID *string `json:"primaryResourceId"`
}

type AIAdvice struct {
	Intent      string   `json:"intent"`
	Message     *string  `json:"message"`
	ResourceIDs []string `json:"resourceIds"`
	RenderHint  *string  `json:"renderHint"`
	Priority    string   `json:"priority"`
}

type Policy struct {
	Classification        string `json:"classification"`
	ContainsSensitiveData bool   `json:"containsSensitiveData"`
	RedactionsApplied     []struct {
		Rule   string `json:"rule"`
		Target string `json:"target"`
	} `json:"redactionsApplied"`
}
