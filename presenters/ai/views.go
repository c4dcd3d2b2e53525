package ai

// view is a way to draw data of a certain meaning (specification §8.3). It is chosen by the name that the result
// gives in presentation.preferredView, never by the tool, and only when the data has the shape that it draws;
// everything else, unknown names too, is drawn by the generic rules.
//
// A new view is a file with its two functions and a line in the table. It draws with the painter's own functions
// for members, strings and lists, which keep the budget and keep strings in their place.
type view struct {
	// fits reports whether data has what the view is about. It looks at names and kinds, not at lengths.
	fits func(p *painter, data int) bool
	// draw draws within end characters, and says what is cut.
	draw func(p *painter, data, end int) fit
}

// views by name. The names generic-object, generic-array, table, error and task-accepted need no entry: generic
// drawing makes tables, and errors and tasks have sections of their own.
var views = map[string]view{}
