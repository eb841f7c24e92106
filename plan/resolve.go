package plan

import (
	"errors"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
)

// Analyser turns the syntax tree of one statement into bound expressions and nodes.
type Analyser struct {
	Catalog Catalog
	Conf    *kernels.Conf
	// Text is the source of the statement, for the positions in errors.
	Text       string
	watermarks *watermarkNumbers // shared by the analysers of one query
	// ctes are the WITH clauses around the query being analysed.
	ctes *cteScope
}

// Scope is what names may refer to.
type Scope struct {
	Columns []*Attr
	// Outer is the scope of the query around a subquery.
	Outer *Scope
	// Aliases are the earlier items of the SELECT list, to which a later item
	// may refer where no column has the name.
	Aliases []*Alias
	// Params are the parameters of the lambdas around an expression, innermost first.
	Params []*Attr
	// Windows are the definitions of the WINDOW clause.
	Windows []*sql.NamedWindow
	// outerRefs collects the columns that a subquery takes from this scope.
	outerRefs *[]*Attr
}

// at is the position of a span of the statement.
func (a *Analyser) at(s sql.Span) *condition.Pos { return condition.At(a.Text, s.Start, s.End) }

// errorAt is a condition at a span of the statement.
func (a *Analyser) errorAt(s sql.Span, name string, params ...any) error {
	return condition.New(name, params...).WithPos(a.at(s))
}

// place gives err the position of a span, if it has none yet.
func (a *Analyser) place(err error, s sql.Span) error {
	if err == nil {
		return nil
	}
	var e *condition.Error
	if errors.As(err, &e) {
		e.WithPos(a.at(s))
	}
	return err
}

// caseSensitive tells whether names that differ in case only are different.
func (a *Analyser) caseSensitive() bool {
	return a.Conf.Conf["spark.sql.caseSensitive"] == "true"
}

// ctx is the context in which constants are evaluated.
func (a *Analyser) ctx() *kernels.Ctx {
	return &kernels.Ctx{Zone: a.Conf.Zone, ANSI: a.Conf.ANSI, Conf: a.Conf.Conf}
}
