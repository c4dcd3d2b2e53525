package resolve

import "slices"

// role is what a keyword is for.
type role uint8

const (
	identity   role = iota // says what the schema is called; settled by the index
	assertion              // judges the value
	applicator             // judges the value, or parts of it, by subschemas
	container              // keeps subschemas for references
	annotation             // kept for later phases
	silent                 // an annotation that no phase reads; its value is checked all the same
	refused                // legal, and beyond this compiler
	retired                // an applicator of the draft before: checked, and without effect unless Options.Dependencies is set
)

// shape is what the value of a keyword must be.
type shape uint8

const (
	anyValue shape = iota
	aString
	aBoolean
	aNumber
	aPositive // a number above zero
	aCount    // an integer of zero or more, 2.0 included
	aPattern
	aReference
	aType
	anArray
	aStringSet // an array of different strings
	aSchema
	aSchemaList // not empty
	aSchemaMap
	maybeSchemaMap // anything; an object's schemas are schemas
	aPatternMap    // names are patterns, values are schemas
	aStringSetMap  // values are arrays of different strings
	itemsList      // a schema, or a list of them
	dependencies   // values are schemas or arrays of different strings
	aVocabulary    // an object of booleans
)

// keyword describes one keyword of one dialect.
type keyword struct {
	name  string // in 2020-12 form
	role  role
	shape shape
	hint  string // for refused keywords
	// vocabulary is the one without which a meta-schema leaves the keyword without effect, 0 for keywords
	// that every meta-schema has and for those that only annotate.
	vocabulary vocabularies
}

// besideRef tells whether the keyword counts in a draft-07 schema that has `$ref`. The draft ignores all
// others; definitions are still looked into, since schemas that start with a reference into their own
// definitions are common and the definitions in them may have names.
func (k keyword) besideRef() bool {
	return k.name == "$ref" || k.role == container || k.shape == maybeSchemaMap
}

// inPlace tells which keywords of the 2020-12 form judge the same value by their subschemas, and so
// never consume input. Their cycles do not end and their arms multiply.
var inPlace = map[string]bool{
	"$ref": true, "$dynamicRef": true, "allOf": true, "anyOf": true, "oneOf": true, "not": true,
	"if": true, "then": true, "else": true, "dependentSchemas": true,
}

// isReference tells the keywords, in 2020-12 form, whose schema stands elsewhere.
func isReference(name string) bool { return name == "$ref" || name == "$dynamicRef" }

// common holds the keywords that all drafts share.
var common = map[string]keyword{
	"$id":      {role: identity},
	"$schema":  {role: identity},
	"$ref":     {role: applicator, shape: aReference},
	"$comment": {role: annotation, shape: aString},

	"type":             {role: assertion, shape: aType},
	"enum":             {role: assertion, shape: anArray},
	"const":            {role: assertion},
	"multipleOf":       {role: assertion, shape: aPositive},
	"maximum":          {role: assertion, shape: aNumber},
	"exclusiveMaximum": {role: assertion, shape: aNumber},
	"minimum":          {role: assertion, shape: aNumber},
	"exclusiveMinimum": {role: assertion, shape: aNumber},
	"maxLength":        {role: assertion, shape: aCount},
	"minLength":        {role: assertion, shape: aCount},
	"pattern":          {role: assertion, shape: aPattern},
	"maxItems":         {role: assertion, shape: aCount},
	"minItems":         {role: assertion, shape: aCount},
	"uniqueItems":      {role: assertion, shape: aBoolean},
	"maxProperties":    {role: assertion, shape: aCount},
	"minProperties":    {role: assertion, shape: aCount},
	"required":         {role: assertion, shape: aStringSet},
	"format":           {role: assertion, shape: aString},

	"allOf":                {role: applicator, shape: aSchemaList},
	"anyOf":                {role: applicator, shape: aSchemaList},
	"oneOf":                {role: applicator, shape: aSchemaList},
	"not":                  {role: applicator, shape: aSchema},
	"if":                   {role: applicator, shape: aSchema},
	"then":                 {role: applicator, shape: aSchema},
	"else":                 {role: applicator, shape: aSchema},
	"properties":           {role: applicator, shape: aSchemaMap},
	"patternProperties":    {role: applicator, shape: aPatternMap},
	"additionalProperties": {role: applicator, shape: aSchema},
	"propertyNames":        {role: applicator, shape: aSchema},
	"contains":             {role: applicator, shape: aSchema},

	"title":       {role: annotation, shape: aString},
	"description": {role: annotation, shape: aString},
	"default":     {role: annotation},
	"examples":    {role: annotation, shape: anArray},
	"readOnly":    {role: annotation, shape: aBoolean},
	"writeOnly":   {role: annotation, shape: aBoolean},
	"x-unit":      {role: annotation}, // ours: what a number counts

	"contentEncoding":  {role: silent, shape: aString},
	"contentMediaType": {role: silent, shape: aString},
}

// since2019 holds what draft-07 lacks and the drafts after it share.
var since2019 = map[string]keyword{
	"$anchor":           {role: identity},
	"$vocabulary":       {role: silent, shape: aVocabulary},
	"$defs":             {role: container, shape: aSchemaMap},
	"definitions":       {role: silent, shape: aSchemaMap},
	"minContains":       {role: assertion, shape: aCount},
	"maxContains":       {role: assertion, shape: aCount},
	"dependentRequired": {role: assertion, shape: aStringSetMap},
	"dependentSchemas":  {role: applicator, shape: aSchemaMap},
	"contentSchema":     {role: silent, shape: aSchema},
	"deprecated":        {role: annotation, shape: aBoolean},

	"unevaluatedItems":      {role: applicator, shape: aSchema},
	"unevaluatedProperties": {role: applicator, shape: aSchema},
}

var only2020 = map[string]keyword{
	"$dynamicAnchor": {role: identity},
	"$dynamicRef":    {role: applicator, shape: aReference},
	"$recursiveRef":  {role: refused, shape: aReference, hint: "draft 2020-12 has $dynamicRef in its place; use that, or $ref where the target is fixed"},
	"prefixItems":    {role: applicator, shape: aSchemaList},
	"items":          {role: applicator, shape: aSchema},
	"dependencies":   {role: retired, shape: dependencies},
}

var only2019 = map[string]keyword{
	"$recursiveAnchor": {role: identity},
	"$recursiveRef":    {name: "$dynamicRef", role: applicator, shape: aReference},
	"items":            {role: applicator, shape: itemsList},
	"additionalItems":  {name: "items", role: applicator, shape: aSchema},
	"dependencies":     {role: retired, shape: dependencies},
}

var only07 = map[string]keyword{
	"definitions":     {name: "$defs", role: container, shape: aSchemaMap},
	"$defs":           {role: silent, shape: maybeSchemaMap},
	"items":           {role: applicator, shape: itemsList},
	"additionalItems": {name: "items", role: applicator, shape: aSchema},
	"dependencies":    {role: applicator, shape: dependencies},
}

// vocabulary is the keyword table of each supported dialect.
var vocabulary = map[Dialect]map[string]keyword{
	Draft2020: merged(common, since2019, only2020),
	Draft2019: merged(common, since2019, only2019),
	Draft07:   merged(common, only07),
}

// keywordNames lists the names of each table that hints may offer, sorted.
var keywordNames = map[Dialect][]string{
	Draft2020: namesOf(vocabulary[Draft2020]),
	Draft2019: namesOf(vocabulary[Draft2019]),
	Draft07:   namesOf(vocabulary[Draft07]),
}

// namesOf lists the names of a table that somebody may have meant: not those of a draft before.
func namesOf(table map[string]keyword) []string {
	return slices.DeleteFunc(sortedKeys(table), func(name string) bool { return table[name].role == retired })
}

func merged(tables ...map[string]keyword) map[string]keyword {
	out := map[string]keyword{}
	for _, table := range tables {
		for source, k := range table {
			if k.name == "" {
				k.name = source
			}
			k.vocabulary = vocabularyOf(source, k.role)
			out[source] = k
		}
	}
	return out
}

// elsewhere says what to write in place of a keyword that only another dialect knows. Without this
// the keyword would be an annotation that looks like a rule.
var elsewhere = map[Dialect]map[string]string{
	Draft2020: {
		"dependencies":    "use dependentRequired or dependentSchemas, or declare draft-07 in $schema",
		"additionalItems": "use items beside prefixItems, or declare draft-07 in $schema",
	},
	Draft2019: {
		"dependencies": "use dependentRequired or dependentSchemas, or declare draft-07 in $schema",
		"prefixItems":  "use an array under items, or declare draft 2020-12 in $schema",
		"$dynamicRef":  "use $recursiveRef, or declare draft 2020-12 in $schema",
	},
	Draft07: {
		"prefixItems":           "use an array under items, or declare draft 2020-12 in $schema",
		"minContains":           "declare draft 2020-12 in $schema",
		"maxContains":           "declare draft 2020-12 in $schema",
		"dependentRequired":     "use dependencies, or declare draft 2020-12 in $schema",
		"dependentSchemas":      "use dependencies, or declare draft 2020-12 in $schema",
		"unevaluatedItems":      "draft-07 has no such keyword",
		"unevaluatedProperties": "draft-07 has no such keyword",
		"$anchor":               "use \"$id\": \"#name\", or declare draft 2020-12 in $schema",
		"$dynamicRef":           "draft-07 has no such keyword",
		"$recursiveRef":         "draft-07 has no such keyword",
	},
}
