package sql

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// bail carries a parse error up to the entry point; no other panic is recovered.
type bail struct{ err *condition.Error }

// run calls f and turns a bail into its error.
func run(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bail:
			err = r.err
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// raise stops parsing with e at span.
func (p *parser) raise(span Span, e *condition.Error) {
	panic(bail{e.WithPos(condition.At(p.src, span.Start, span.End))})
}

// report notes an error that does not stop the parser. Spark finds such errors
// only once the whole text has parsed, so a syntax error further on goes first.
func (p *parser) report(span Span, e *condition.Error) {
	if p.found == nil {
		p.found = e.WithPos(condition.At(p.src, span.Start, span.End))
	}
}

// syntaxError is Spark's PARSE_SYNTAX_ERROR at token t; hint is empty or starts
// with a colon, as in Spark's message.
func (p *parser) syntaxError(t *token, hint string) *condition.Error {
	what := "end of input"
	if t.kind != tokEOF {
		what = "'" + p.src[t.Start:t.End] + "'"
	}
	return condition.New("PARSE_SYNTAX_ERROR", "error", what, "hint", hint)
}

// fail reports the current token as one that fits nowhere.
func (p *parser) fail() { p.failAt(p.cur()) }

func (p *parser) failAt(t *token) {
	e := p.syntaxError(t, "")
	if t.kind == tokBad && strings.Contains("'\"`", p.src[t.Start:t.End]) {
		e.WithHint("the quote that opens here is never closed")
	}
	p.raise(t.Span, e)
}

// expected reports the current token where what was due. Like Spark it calls the
// token superfluous if what follows it, else missing if the rest could go on.
func (p *parser) expected(what string, mayGoOn bool) {
	t := p.cur()
	switch {
	case t.kind != tokEOF && tokenIs(p.at(1), what):
		p.raise(t.Span, p.syntaxError(t, ": extra input '"+p.src[t.Start:t.End]+"'"))
	case t.kind != tokEOF && mayGoOn:
		p.raise(t.Span, p.syntaxError(t, ": missing '"+what+"'"))
	}
	p.fail()
}

func tokenIs(t *token, what string) bool {
	return t.kind == tokOp && t.text == what || t.kind == tokIdent && t.up == what
}

// statementKeywords start the statements that are not queries.
var statementKeywords = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields(`ADD ALTER ANALYZE BEGIN CACHE CALL CLEAR COMMENT COMMIT CREATE DECLARE DELETE DESC DESCRIBE
		DFS DROP EXECUTE EXPLAIN EXPORT GRANT IMPORT INSERT LIST LOAD LOCK MERGE MSCK REFRESH REPAIR REPLACE RESET REVOKE
		ROLLBACK SET SHOW START TRUNCATE UNCACHE UNLOCK UPDATE USE`) {
		m[k] = true
	}
	return m
}()

// notAQuery reports a statement that starts like none of the queries.
func (p *parser) notAQuery() {
	t := p.cur()
	if !statementKeywords[t.up] {
		p.fail()
	}
	for k := 1; k <= 2; k++ { // a bare INSERT INTO is incomplete first of all
		if p.at(k).kind == tokEOF {
			p.failAt(p.at(k))
		}
		if p.at(k).kind != tokIdent {
			break
		}
	}
	p.raise(Span{t.Start, len(p.src)}, condition.New("INVALID_SQL_SYNTAX.UNSUPPORTED_SQL_STATEMENT", "sqlText", p.src).
		WithHint("only queries run here: SELECT, FROM, WITH, VALUES and TABLE statements"))
}

// tooComplex reports input that is nested too deeply.
func (p *parser) tooComplex() {
	p.raise(p.cur().Span, condition.New("FAILED_TO_PARSE_TOO_COMPLEX"))
}
