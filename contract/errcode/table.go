package errcode

// CodeEntry is one row of the table of error codes.
type CodeEntry struct {
	Code     Code
	Category Category // the category a plugin's error gets when it states none
	Meaning  string   // one sentence
}

// CategoryEntry is one row of the table of categories.
type CategoryEntry struct {
	Category Category
	Meaning  string
}

// ReasonEntry is one row of the table of reasons.
type ReasonEntry struct {
	Reason  Reason
	Meaning string
}

// WarningEntry is one row of the table of warning codes.
type WarningEntry struct {
	Warning Warning
	Meaning string
}

// codes follows the order of specification §6.3.
var codes = [...]CodeEntry{
	{InvalidArgument, Validation, "an argument is present but breaks the command's input schema or a rule of the command"},
	{MissingArgument, Validation, "a required argument is absent"},
	{UnknownCommand, Validation, "the tool exists but has no command of this name"},
	{ToolNotFound, Runtime, "no registered tool has this name"},
	{ToolDisabled, Runtime, "the tool is registered but switched off by its manifest or by an operator"},
	{ApprovalRejected, Approval, "a human was asked and refused the call"},
	{ApprovalTimeout, Approval, "a human was asked and did not answer in time"},
	{Unauthorized, Authorization, "the caller did not prove who it is"},
	{Forbidden, Authorization, "the caller is known but may not do this"},
	{DependencyUnavailable, Dependency, "a service, database or device that the tool needs cannot be reached"},
	{UpstreamError, Dependency, "a service that the tool needs was reached and answered with a failure"},
	{FileNotFound, Domain, "a file that the arguments name does not exist"},
	{ResourceTooLarge, Domain, "a resource exceeds the size that the tool or the core accepts"},
	{UnsupportedMediaType, Domain, "a resource has a media type that the tool or the core does not accept"},
	{ToolTimeout, Timeout, "the call did not end within its time limit"},
	{ToolCancelled, Cancelled, "the call or its task was cancelled on request"},
	{TransportFailure, Transport, "the process, pipe or socket between core and tool failed"},
	{InvalidToolResult, Protocol, "the tool's answer breaks the protocol or its own output schema; details.reason says how"},
	{DistributedNodeOffline, Transport, "the node that hosts the tool is not connected"},
	{InternalError, Runtime, "the core or a direct plugin failed in a way that is nobody else's fault"},
}

// categories follows the order of specification §6.2.
var categories = [...]CategoryEntry{
	{Domain, "a rule of the tool's own business said no"},
	{Validation, "arguments or a payload broke their schema"},
	{Approval, "a human refused, or nobody answered"},
	{Authorization, "a permission is missing or insufficient"},
	{Transport, "a process, a socket or a frame failed"},
	{Protocol, "the tool's answer violates the protocol"},
	{Dependency, "an external service, database or file failed"},
	{Runtime, "the core itself failed"},
	{Cancelled, "somebody asked to stop"},
	{Timeout, "the time limit was reached"},
}

// reasons follows the order of the constants.
var reasons = [...]ReasonEntry{
	{NoFrame, "the process ended without writing a result frame"},
	{TruncatedFrame, "the last line of standard output ends in the middle of a frame"},
	{TwoFrames, "one call was answered by more than one result frame"},
	{StrayOutput, "standard output holds a line that is no frame"},
	{NotUTF8, "the bytes are not valid UTF-8, or a string holds a lone surrogate"},
	{NotJSON, "the bytes are not one JSON value"},
	{DuplicateKey, "an object has two members of the same name"},
	{WrongVersion, "a frame or envelope states a protocol version that is not spoken here"},
	{WrongID, "a frame answers a call that is not open"},
	{ResultTooLarge, "the result exceeds the byte limit"},
	{SchemaMismatch, "the payload breaks the protocol's schema, or data breaks the command's output schema"},
	{StatusMatrix, "status, data, error and task do not fit together"},
	{KindMismatch, "the status does not fit how the command answers, such as accepted from a synchronous tool"},
	{ForgedField, "the payload holds a member that only the core may write"},
	{DanglingResource, "a reference names a resource that the payload does not bring"},
	{DuplicateResource, "two resources of one payload have the same id"},
	{MissingResourceOutput, "a member that the manifest declares as a resource output holds no reference"},
	{UndeclaredMedia, "binary content stands in a member whose schema admits no resource reference"},
	{PathEscape, "a local path leads outside the folder that the tool may publish from"},
	{SpawnFailed, "the process could not be started"},
	{Crashed, "the process ended with a non-zero exit code and no result"},
	{Signalled, "the process was ended by a signal"},
	{PipeClosed, "the process closed its pipe while the call was open"},
	{Panic, "a direct handler panicked"},
	{LimitDepth, "the document is nested deeper than the limit"},
	{LimitNodes, "the document has more values than the limit"},
	{LimitBytes, "the document is longer than the limit"},
	{LimitMembers, "an object, or an array of unique elements, is larger than the limit"},
	{LimitPattern, "a pattern could not be decided within its step budget"},
	{LimitNumber, "a number could not be judged within the exponent limit"},
	{LimitResources, "the payload brings more resources, or more bytes of them, than the limit"},
	{EffectUnknown, "the core stopped between the intent and the result; the effect may or may not have happened"},
}

// warnings follows the order of the constants.
var warnings = [...]WarningEntry{
	{OutputTruncated, "the result exceeded a limit and was cut; details give the original and the returned size"},
	{MIMEMismatch, "a resource's bytes are of another media type than declared; the sniffed type was taken"},
	{NonzeroExit, "the process wrote a valid result and then ended with a non-zero exit code"},
	{UndeclaredErrorCode, "the error code is not among the errorCodes of the command's manifest"},
	{SecretRedacted, "a configured secret stood in the result and was masked"},
	{ResultNotStored, "the result was returned but could not be stored"},
	{AdviceCleaned, "aiAdvice was shortened or had forbidden parts removed"},
	{ArgumentCoerced, "an argument was converted to the type that the input schema asks for"},
}

// Entries returns the table of error codes in the order of specification §6.3. The caller owns the
// slice.
func Entries() []CodeEntry { return append([]CodeEntry(nil), codes[:]...) }

// Categories returns the ten categories in the order of specification §6.2. The caller owns the slice.
func Categories() []CategoryEntry { return append([]CategoryEntry(nil), categories[:]...) }

// Reasons returns every reason, grouped as the constants are. The caller owns the slice.
func Reasons() []ReasonEntry { return append([]ReasonEntry(nil), reasons[:]...) }

// Warnings returns every warning code of the core. The caller owns the slice.
func Warnings() []WarningEntry { return append([]WarningEntry(nil), warnings[:]...) }

// CategoryOf returns the category that an error of this code has unless its author states another:
// the table's for a standard code, [Domain] for a well-formed namespaced one. It reports false for
// everything else.
func CategoryOf(c Code) (Category, bool) {
	for i := range codes {
		if codes[i].Code == c {
			return codes[i].Category, true
		}
	}
	if c.Namespaced() {
		return Domain, true
	}
	return "", false
}

// Standard reports whether c is one of the codes of specification §6.3.
func (c Code) Standard() bool {
	for i := range codes {
		if codes[i].Code == c {
			return true
		}
	}
	return false
}

// Namespaced reports whether c is a well-formed code of a plugin's own: two or more segments joined
// by dots, each an upper-case ASCII letter followed by upper-case letters, digits and underscores, 128
// bytes at most ("DOUBAO.CONTENT_POLICY_REJECTED"). The protocol schemas state the same grammar
// ([NamespacedPattern]).
func (c Code) Namespaced() bool { return namespaced(string(c)) }

// Valid reports whether c may stand in `error.code`: it is standard or namespaced.
func (c Code) Valid() bool { return c.Standard() || c.Namespaced() }

// Standard reports whether w is one of the core's own warning codes.
func (w Warning) Standard() bool {
	for i := range warnings {
		if warnings[i].Warning == w {
			return true
		}
	}
	return false
}

// Namespaced reports whether w is a well-formed warning code of a plugin's own; the grammar is that of
// [Code.Namespaced].
func (w Warning) Namespaced() bool { return namespaced(string(w)) }

// Valid reports whether w may stand in `warnings[].code`: it is standard or namespaced.
func (w Warning) Valid() bool { return w.Standard() || w.Namespaced() }

// Known reports whether r is in the closed set.
func (r Reason) Known() bool {
	for i := range reasons {
		if reasons[i].Reason == r {
			return true
		}
	}
	return false
}

// Known reports whether c is one of the ten categories.
func (c Category) Known() bool {
	for i := range categories {
		if categories[i].Category == c {
			return true
		}
	}
	return false
}

// NamespacedPattern is the grammar of namespaced codes as an ECMA-262 pattern, MaxCode their greatest
// length in characters.
const (
	NamespacedPattern = `^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)+$`
	MaxCode           = 128
)

func namespaced(s string) bool {
	if len(s) > MaxCode {
		return false
	}
	dots, start := 0, true
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			start = false
		case start: // a segment begins with a letter
			return false
		case c == '.':
			dots++
			start = true
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return dots > 0 && !start
}
