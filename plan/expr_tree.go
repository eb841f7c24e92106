package plan

// Transform rewrites e bottom-up: f sees each expression after its children.
func Transform(e Expr, f func(Expr) Expr) Expr {
	kids := e.Children()
	var changed []Expr
	for i, k := range kids {
		if n := Transform(k, f); n != k {
			if changed == nil {
				changed = append([]Expr(nil), kids...)
			}
			changed[i] = n
		}
	}
	if changed != nil {
		e = e.WithChildren(changed)
	}
	return f(e)
}

// Walk visits e and everything below it, parents first, until f returns false
// for an expression: then its children are left out.
func Walk(e Expr, f func(Expr) bool) {
	if !f(e) {
		return
	}
	for _, k := range e.Children() {
		Walk(k, f)
	}
}

// Contains tells whether f holds for e or something below it.
func Contains(e Expr, f func(Expr) bool) bool {
	found := false
	Walk(e, func(x Expr) bool {
		found = found || f(x)
		return !found
	})
	return found
}

// References are the columns that e reads, each once, in order of appearance.
// Parameters of lambdas are not columns.
func References(e Expr) []*Attr {
	var out []*Attr
	seen := map[ID]bool{}
	Walk(e, func(x Expr) bool {
		if a, ok := x.(*Attr); ok && !a.Param && !seen[a.ID] {
			seen[a.ID] = true
			out = append(out, a)
		}
		return true
	})
	return out
}

// Deterministic tells whether e has the same value each time it is evaluated on
// a row of one micro-batch.
func Deterministic(e Expr) bool {
	return !Contains(e, func(x Expr) bool {
		c, ok := x.(*Call)
		return ok && c.Impl.Volatile
	})
}

// Foldable tells whether e has one value that is known before any row is.
func Foldable(e Expr) bool {
	return !Contains(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Literal, *Cast, *FieldAccess, *Lambda, *Alias:
			return false
		case *Attr:
			return !x.Param
		case *Call:
			return x.Impl.Volatile
		}
		return true
	})
}

// delayOf is the watermark that the value of e carries: that of a column, of a
// window made of it, and of window_time() of such a window.
func delayOf(e Expr) *Delay {
	switch e := e.(type) {
	case *Attr:
		return e.Delay
	case *Alias:
		return delayOf(e.Child)
	case *TimeWindow:
		return delayOf(e.Time)
	case *Call:
		if e.Name == "window_time" {
			return delayOf(e.Args[0])
		}
	}
	return nil
}

// NewAlias names e and gives it a fresh column identity. Event-time marks pass
// from a column to its alias.
func NewAlias(e Expr, name string) *Alias {
	id := NewID()
	attr := &Attr{ID: id, Name: name, Typ: e.Type(), Null: e.Nullable(), Delay: delayOf(e)}
	switch e := e.(type) {
	case *Attr:
		attr.Window, attr.Session, attr.WindowText = e.Window, e.Session, e.WindowText
	case *TimeWindow:
		attr.Window, attr.Session = true, e.Session
	}
	return &Alias{ID: id, Name: name, Child: e, Attr: attr}
}
