package plan

// Catalog finds what a FROM clause names.
type Catalog interface {
	// Relation finds a source or table by the parts of its name; each use must
	// get a Relation with fresh attribute IDs.
	Relation(name []string) (*Relation, bool)
	// View finds a view by the parts of its name.
	View(name []string) (*View, bool)
	// Names are the names of all relations and views, for suggestions.
	Names() []string
}

// View is a named table. Build analyses it anew on each use, so that its columns
// get identities of their own; it uses a for its Watermark numbers and configuration only.
type View struct {
	Name  string
	Build func(a *Analyser) (Node, error)
}
