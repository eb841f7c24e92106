package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vstream/vstream/kernels"
)

// Fingerprint identifies what an expression computes: two expressions with the
// same fingerprint have the same value on the same row. Names and positions do not
// count; a volatile call is equal only to itself.
func Fingerprint(e Expr) string {
	var w keyWriter
	w.write(e)
	return w.String()
}

// keyWriter writes a fingerprint. Parameters of lambdas are written by position, for
// each lambda has parameters with identities of their own.
type keyWriter struct {
	strings.Builder
	params    []ID
	canonical bool // as canonicalKey has it
}

func (w *keyWriter) write(e Expr) {
	switch x := e.(type) {
	case *Attr:
		w.attr(x)
		return
	case *Literal:
		// By value: texts of different constants may be equal, as those of 'a, b' and 'a', 'b' in calls.
		fmt.Fprintf(w, "%#v:%s", kernels.ValueAt(x.Typ, x.Value.Arr, 0), x.Typ)
		return
	case *Alias:
		w.write(x.Child)
		return
	case *Lambda:
		w.lambda(x)
		return
	case *Cast:
		w.WriteString("cast" + strconv.Itoa(int(x.Mode)) + ":" + x.To.String())
	case *FieldAccess:
		w.WriteString("." + strconv.Itoa(x.Ordinal))
	case *Call:
		if w.canonical && w.writeCanonical(x) {
			return
		}
		w.WriteString(x.Name)
		if x.Impl.Volatile {
			fmt.Fprintf(w, "@%p", x)
		}
	case *AggCall:
		fmt.Fprintf(w, "%s/%t/%d/%t%s", x.Name, x.Distinct, len(x.OrderBy), x.Filter != nil, keyOrder(x.OrderBy))
	case *TimeWindow:
		fmt.Fprintf(w, "window%t/%d/%d/%d", x.Session, x.WidthMicros, x.SlideMicros, x.StartMicros)
	case *GroupingCall:
		fmt.Fprintf(w, "grouping%t", x.ID)
	case *WindowCall:
		w.WriteString("over" + strconv.Quote(x.Text))
	case *Subquery:
		fmt.Fprintf(w, "%s@%p", x.Kind, x.Plan)
	case *GeneratorCall:
		w.WriteString(x.Name)
	case Compilable:
		w.WriteString(x.Key())
	}
	w.WriteByte('(')
	for _, k := range e.Children() {
		w.write(k)
		w.WriteByte(',')
	}
	w.WriteByte(')')
}

func (w *keyWriter) attr(x *Attr) {
	for i, p := range w.params {
		if p == x.ID {
			w.WriteString("$" + strconv.Itoa(i))
			return
		}
	}
	w.WriteString("#" + strconv.FormatInt(int64(x.ID), 10))
}

func (w *keyWriter) lambda(l *Lambda) {
	outer := w.params
	for _, p := range l.Params {
		w.params = append(w.params, p.ID)
	}
	fmt.Fprintf(w, "lambda%d{", len(l.Params))
	w.write(l.Body)
	w.WriteByte('}')
	w.params = outer
}

func keyOrder(keys []*SortKey) string {
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "/%t%t", k.Desc, k.NullsLast)
	}
	return b.String()
}
