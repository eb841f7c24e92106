package physical

import (
	"slices"

	"github.com/vstream/vstream/dedup"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// What readers of the state see of an operator's tables: Spark's layout.

// viewField is a field of a view that lies in columns of the table from one on. A nested
// one is encoded there.
func viewField(name string, t *vector.Type, column int) statestore.ViewField {
	f := statestore.ViewField{Name: name, Type: t.String(), Column: column}
	if !t.Atomic() {
		f.Form = statestore.Encoded
	}
	return f
}

// keyFields are the keys of a grouping.
func (p *preaggregate) keyFields(keys []*plan.Attr) []statestore.ViewField {
	out := make([]statestore.ViewField, len(keys))
	for i, k := range keys {
		l := p.keys[i]
		out[i] = viewField(k.Name, l.typ, l.first)
		if l.window {
			out[i].Form = statestore.Window
		}
	}
	return out
}

// buffers are Spark's buffers of the aggregates, whose states begin at a column.
func (p *preaggregate) buffers(column int) []statestore.ViewField {
	var out []statestore.ViewField
	for _, a := range p.cfg.Aggs {
		im := a.Bound()
		for _, f := range im.Shown() {
			out = append(out, viewField(f.Name, f.Type, column+f.State))
		}
		column += len(im.State)
	}
	return out
}

// groupView is the view of a grouping: the keys, and the buffers of the aggregates.
func (p *preaggregate) groupView(keys []*plan.Attr) *statestore.View {
	return &statestore.View{Key: p.keyFields(keys), Value: p.buffers(len(p.cfg.Keys))}
}

// sessionView is the view of a grouping by sessions, the last of keys. Spark keeps
// each session under the other keys and its start, and as value the whole row, in which
// the session is at its place in the GROUP BY.
func (p *preaggregate) sessionView(keys []*plan.Attr, at int) *statestore.View {
	fields := p.keyFields(keys)
	last := len(fields) - 1
	others, session := fields[:last:last], fields[last]
	start := viewField("sessionStartTime", p.keys[last].typ.Fields[0].Type, session.Column)
	value := slices.Insert(slices.Clone(others), at, session)
	return &statestore.View{Key: append(others, start), Value: append(value, p.buffers(len(p.cfg.Keys))...)}
}

// dedupView is the view of a deduplication: the keys, and when a key expires or, where Spark
// needs some value, a field without one.
func dedupView(keys []*plan.Attr, within bool) *statestore.View {
	v, column := &statestore.View{}, 0
	for _, k := range keys {
		f := viewField(k.Name, k.Typ, column)
		column++
		if windowKey(k) {
			f.Form = statestore.Window
			column++
		}
		v.Key = append(v.Key, f)
	}
	if within {
		v.Value = []statestore.ViewField{viewField(dedup.ExpiryColumn, vector.Long, column)}
	} else {
		v.Value = []statestore.ViewField{{Name: "__dummy__", Type: vector.Null.String(), Column: statestore.NoColumn}}
	}
	return v
}
