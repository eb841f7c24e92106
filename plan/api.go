package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// NewAnalyser makes an analyser for one query.
func NewAnalyser(c Catalog, conf *kernels.Conf) *Analyser {
	return &Analyser{Catalog: c, Conf: conf}
}

// Where keeps the rows of n for which the condition, a SQL expression, is true.
func (a *Analyser) Where(n Node, cond string) (Node, error) {
	e, err := sql.ParseExpression(cond)
	if err != nil {
		return nil, err
	}
	return a.forText(cond).where(n, e, &Scope{Columns: n.Output()})
}

// Select computes columns of n, each a SQL expression with an optional alias.
func (a *Analyser) Select(n Node, exprs []string) (Node, error) {
	out := &Project{Input: n}
	for _, text := range exprs {
		query := "SELECT " + text
		stmt, err := sql.ParseQuery(query)
		if err != nil {
			return nil, err
		}
		s, ok := stmt.Query.Body.(*sql.Select)
		if !ok || len(s.From) > 0 {
			return nil, condition.New("PARSE_SYNTAX_ERROR", "error", "'"+text+"'", "hint", "")
		}
		items, err := a.forText(query).SelectItems(s.Items, &Scope{Columns: n.Output()})
		if err != nil {
			return nil, err
		}
		out.Exprs = append(out.Exprs, items...)
	}
	in, items, err := a.lowerWindows(n, out.Exprs)
	if err != nil {
		return nil, err
	}
	if in, items, err = a.lowerGenerators(in, items); err != nil {
		return nil, err
	}
	in, items = lowerOver(in, items)
	return &Project{Exprs: items, Input: in}, nil
}

// DropDuplicates keeps the first row of each combination of the named columns; of
// whole rows if no column is named.
func (a *Analyser) DropDuplicates(n Node, columns []string, withinWatermark bool) (Node, error) {
	d := &Deduplicate{WithinWatermark: withinWatermark, Input: n}
	if len(columns) == 0 {
		d.Keys = visible(n.Output())
		return d, nil
	}
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			continue
		}
		// As in Spark, a name stands for all columns that have it.
		found := false
		for _, c := range visible(n.Output()) {
			if c.Name == name || !a.caseSensitive() && strings.EqualFold(c.Name, name) {
				d.Keys, found = append(d.Keys, c), true
			}
		}
		if !found {
			return nil, condition.New("UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", "colName", name, "fieldNames", fieldNames(n.Output()))
		}
	}
	return d, nil
}

func fieldNames(cols []*Attr) string {
	out := ""
	for i, c := range visible(cols) {
		if i > 0 {
			out += ", "
		}
		out += c.Name
	}
	return out
}

// ParseDelay reads the delay of a watermark, "10 minutes" or "1 hour 30 minutes", in
// milliseconds; a month counts 31 days, as in Spark. The error is INVALID_INTERVAL_FORMAT.*.
func ParseDelay(text string) (int64, error) {
	months, days, micros, err := parseIntervalText(text)
	if err != nil {
		return 0, err
	}
	return int64(months)*millisPerMonth + int64(days)*24*60*60*1000 + micros/1000, nil
}

// Finish checks an analysed query for an output mode as Spark does on start, and writes scalar
// subqueries that read its columns as joins. Optimise comes next.
func (a *Analyser) Finish(n Node, mode string) (Node, error) {
	if err := Check(n, mode, a.Conf); err != nil {
		return nil, err
	}
	return a.streamSubqueries(n)
}

// FinishBatch prepares an analysed query over static tables for one run: it computes
// subqueries with run and writes set operations and full outer joins in terms of other nodes.
// Optimise comes next, also for the plans that run gets.
func (a *Analyser) FinishBatch(n Node, run func(Node) ([]*vector.Batch, error)) (Node, error) {
	n, err := a.subqueriesAsJoins(transformNodes(n, limitRecursion))
	if err != nil {
		return nil, err
	}
	return rewriteNodes(n, func(n Node) (Node, error) { return a.batchNode(n, run) })
}

// parseIntervalText reads "1 day 2 hours". The errors are Spark's INVALID_INTERVAL_FORMAT.*.
func parseIntervalText(s string) (months, days int32, micros int64, err error) {
	months, days, micros, ok := text.ParseInterval([]byte(s))
	if ok {
		return months, days, micros, nil
	}
	words := strings.Fields(strings.ToLower(s))
	if len(words) > 0 && words[0] == "interval" {
		words = words[1:]
	}
	name, params := "INVALID_INTERVAL_FORMAT.INPUT_IS_EMPTY", []any{"input", s}
	for i := 0; i < len(words); i += 2 {
		if _, perr := strconv.ParseFloat(words[i], 64); perr != nil {
			return 0, 0, 0, condition.New("INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", "input", s, "number", words[i])
		}
		name, params = "INVALID_INTERVAL_FORMAT.MISSING_UNIT", []any{"input", s, "word", words[i]}
		if i+1 < len(words) {
			name, params = "INVALID_INTERVAL_FORMAT.INVALID_UNIT", []any{"input", s, "unit", words[i+1]}
			switch strings.TrimSuffix(words[i+1], "s") {
			case "year", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond":
			default:
				return 0, 0, 0, condition.New(name, params...)
			}
		}
	}
	return 0, 0, 0, condition.New(name, params...)
}
