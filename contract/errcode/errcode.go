// Package errcode is the closed vocabulary of failure: the error codes, their categories, the
// machine-readable reasons behind the broad codes, and the warning codes of the VCP Tool Result
// Protocol 1.0 (specification §6).
//
// It is one table. Whoever needs a code takes it from here; a string literal that spells one
// elsewhere in the project is a mistake. Plugins may add codes of their own, namespaced by at least
// one dot ("DOUBAO.CONTENT_POLICY_REJECTED"); [Code.Namespaced] tells them apart.
//
// The package never formats messages, never wraps errors and imports nothing but the standard library.
package errcode

// Category groups codes by who failed (specification §6.2). There is no zero category: a failure
// without a category does not exist on the wire.
type Category string

// The ten categories of specification §6.2.
const (
	Domain        Category = "domain"        // a business rule said no
	Validation    Category = "validation"    // arguments or a payload broke their schema
	Approval      Category = "approval"      // a human refused, or nobody answered
	Authorization Category = "authorization" // missing or insufficient permission
	Transport     Category = "transport"     // process, socket or frame failure
	Protocol      Category = "protocol"      // the tool's answer violates the protocol
	Dependency    Category = "dependency"    // an upstream service, database or file failed
	Runtime       Category = "runtime"       // the core itself failed
	Cancelled     Category = "cancelled"     // somebody asked to stop
	Timeout       Category = "timeout"       // the time limit was reached
)

// Code is an error code as it stands in `error.code`.
type Code string

// The standard codes of specification §6.3.
const (
	InvalidArgument        Code = "INVALID_ARGUMENT"
	MissingArgument        Code = "MISSING_ARGUMENT"
	UnknownCommand         Code = "UNKNOWN_COMMAND"
	ToolNotFound           Code = "TOOL_NOT_FOUND"
	ToolDisabled           Code = "TOOL_DISABLED"
	ApprovalRejected       Code = "APPROVAL_REJECTED"
	ApprovalTimeout        Code = "APPROVAL_TIMEOUT"
	Unauthorized           Code = "UNAUTHORIZED"
	Forbidden              Code = "FORBIDDEN"
	DependencyUnavailable  Code = "DEPENDENCY_UNAVAILABLE"
	UpstreamError          Code = "UPSTREAM_ERROR"
	FileNotFound           Code = "FILE_NOT_FOUND"
	ResourceTooLarge       Code = "RESOURCE_TOO_LARGE"
	UnsupportedMediaType   Code = "UNSUPPORTED_MEDIA_TYPE"
	ToolTimeout            Code = "TOOL_TIMEOUT"
	ToolCancelled          Code = "TOOL_CANCELLED"
	TransportFailure       Code = "TRANSPORT_FAILURE"
	InvalidToolResult      Code = "INVALID_TOOL_RESULT"
	DistributedNodeOffline Code = "DISTRIBUTED_NODE_OFFLINE"
	InternalError          Code = "INTERNAL_ERROR"
)

// Reason narrows a broad code, in `error.details.reason`. The set is closed; plugins cannot add to it.
type Reason string

// Why a payload, a frame or a document was refused.
const (
	NoFrame               Reason = "NO_FRAME"
	TruncatedFrame        Reason = "TRUNCATED_FRAME"
	TwoFrames             Reason = "TWO_FRAMES"
	StrayOutput           Reason = "STRAY_OUTPUT"
	NotUTF8               Reason = "NOT_UTF8"
	NotJSON               Reason = "NOT_JSON"
	DuplicateKey          Reason = "DUPLICATE_KEY"
	WrongVersion          Reason = "WRONG_VERSION"
	WrongID               Reason = "WRONG_ID"
	ResultTooLarge        Reason = "RESULT_TOO_LARGE"
	SchemaMismatch        Reason = "SCHEMA_MISMATCH"
	StatusMatrix          Reason = "STATUS_MATRIX"
	KindMismatch          Reason = "KIND_MISMATCH"
	ForgedField           Reason = "FORGED_FIELD"
	DanglingResource      Reason = "DANGLING_RESOURCE"
	DuplicateResource     Reason = "DUPLICATE_RESOURCE"
	MissingResourceOutput Reason = "MISSING_RESOURCE_OUTPUT"
	UndeclaredMedia       Reason = "UNDECLARED_MEDIA"
	PathEscape            Reason = "PATH_ESCAPE"
	SpawnFailed           Reason = "SPAWN_FAILED"
	Crashed               Reason = "CRASHED"
	Signalled             Reason = "SIGNALLED"
	PipeClosed            Reason = "PIPE_CLOSED"
	Panic                 Reason = "PANIC"
	LimitDepth            Reason = "LIMIT_DEPTH"
	LimitNodes            Reason = "LIMIT_NODES"
	LimitBytes            Reason = "LIMIT_BYTES"
	LimitMembers          Reason = "LIMIT_MEMBERS"
	LimitPattern          Reason = "LIMIT_PATTERN"
	LimitNumber           Reason = "LIMIT_NUMBER"
	LimitResources        Reason = "LIMIT_RESOURCES"
	EffectUnknown         Reason = "EFFECT_UNKNOWN"
)

// Warning is a warning code as it stands in `warnings[].code`.
type Warning string

// The warnings the core itself adds.
const (
	OutputTruncated     Warning = "OUTPUT_TRUNCATED"
	MIMEMismatch        Warning = "MIME_MISMATCH"
	NonzeroExit         Warning = "NONZERO_EXIT"
	UndeclaredErrorCode Warning = "UNDECLARED_ERROR_CODE"
	SecretRedacted      Warning = "SECRET_REDACTED"
	ResultNotStored     Warning = "RESULT_NOT_STORED"
	AdviceCleaned       Warning = "ADVICE_CLEANED"
	ArgumentCoerced     Warning = "ARGUMENT_COERCED"
)
