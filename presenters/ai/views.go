package ai

// renderer draws data of a certain meaning within end characters, and says what is cut.
type renderer func(p *painter, data, end int) fit

// renderers by the name that a result gives in presentation.preferredView (specification §8.3), never by the tool.
// A name that is not here is drawn by the generic rules, and so is data whose shape a renderer does not know.
//
// A new view is a line here: a style of the generic rules where that is enough, else a function. It draws with
// the painter's own functions for members, strings and lists, which keep the budget and keep strings in their
// place. The error and the task of a result have sections of their own in every view.
var renderers = map[string]renderer{
	"generic-object":    (*painter).generic,
	"generic-array":     (*painter).generic,
	"error":             (*painter).generic,
	"task-accepted":     (*painter).generic,
	"task-status":       (*painter).generic,
	"image-result":      (*painter).generic, // resources have their own section, the primary one first
	"schedule-card":     (*painter).generic,
	"schedule-list":     styled(style{first: []string{"time", "start", "end", "content"}}),
	"table":             styled(style{cell: 1000}),
	"search-report":     styled(style{listed: true}),
	"file-result":       styled(style{code: []string{"content"}}),
	"command-execution": styled(style{code: []string{"command", "stdout", "stderr", "output"}}),
}

// style is how a view differs from the generic rules.
type style struct {
	code   []string // members whose text is code or the output of a program
	first  []string // columns of a table that stand in front
	listed bool     // objects are listed one by one, not in a table
	cell   int      // the longest text of a cell, in characters; 0 for the usual
}

// plain is no style.
var plain style

func styled(s style) renderer {
	return func(p *painter, data, end int) fit {
		place := p.slotOf(data)
		place.style = &s
		return p.value(data, place, end)
	}
}
