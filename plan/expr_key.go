package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// Fingerprint identifies what an expression computes: two expressions with the
// same fingerprint have the same value on the same row. Names and positions do not
// count; a volatile call is equal only to itself.
func Fingerprint(e Expr) string {
	var b strings.Builder
	writeKey(&b, e)
	return b.String()
}

func writeKey(b *strings.Builder, e Expr) {
	switch x := e.(type) {
	case *Attr:
		b.WriteString("#" + strconv.FormatInt(int64(x.ID), 10))
		return
	case *Literal:
		b.WriteString(strconv.Quote(x.Text) + ":" + x.Typ.String())
		return
	case *Alias:
		writeKey(b, x.Child)
		return
	case *Cast:
		b.WriteString("cast" + strconv.Itoa(int(x.Mode)) + ":" + x.To.String())
	case *FieldAccess:
		b.WriteString("." + strconv.Itoa(x.Ordinal))
	case *Call:
		b.WriteString(x.Name)
		if x.Impl.Volatile {
			fmt.Fprintf(b, "@%p", x)
		}
	case *AggCall:
		fmt.Fprintf(b, "%s/%t/%d/%t%s", x.Name, x.Distinct, len(x.OrderBy), x.Filter != nil, keyOrder(x.OrderBy))
	case *TimeWindow:
		fmt.Fprintf(b, "window%t/%d/%d/%d", x.Session, x.WidthMicros, x.SlideMicros, x.StartMicros)
	case *GroupingCall:
		fmt.Fprintf(b, "grouping%t", x.ID)
	case *WindowCall:
		b.WriteString("over" + strconv.Quote(x.Text))
	case *Subquery:
		fmt.Fprintf(b, "%s@%p", x.Kind, x.Plan)
	case *GeneratorCall:
		b.WriteString(x.Name)
	case *Lambda:
		writeLambda(b, x)
		return
	}
	b.WriteByte('(')
	for _, k := range e.Children() {
		writeKey(b, k)
		b.WriteByte(',')
	}
	b.WriteByte(')')
}

// writeLambda writes the body with its parameters by position, for each lambda
// has parameters with identities of their own.
func writeLambda(b *strings.Builder, l *Lambda) {
	body := Fingerprint(l.Body)
	for i, p := range l.Params {
		id := "#" + strconv.FormatInt(int64(p.ID), 10)
		for _, end := range []string{",", ")", "}"} {
			body = strings.ReplaceAll(body, id+end, "$"+strconv.Itoa(i)+end)
		}
		if body == id {
			body = "$" + strconv.Itoa(i)
		}
	}
	fmt.Fprintf(b, "lambda%d{%s}", len(l.Params), body)
}

func keyOrder(keys []*SortKey) string {
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "/%t%t", k.Desc, k.NullsLast)
	}
	return b.String()
}
