package condition_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/vstream/vstream/condition"
)

// TestUsage checks every condition.New("NAME", "param", …) of the module against the
// catalogue: the name exists, and every parameter of its message is given (Spark gives
// some conditions more). Every name of an own condition must be in the catalogue too.
func TestUsage(t *testing.T) {
	placeholder := regexp.MustCompile(`<([a-zA-Z0-9_-]+)>`)
	ownName := regexp.MustCompile(`^VSTREAM_[A-Z0-9_]+[A-Z0-9]$`)
	calls := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return nil // the compiler reports it
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name, params, ok := newCall(n)
			if !ok {
				if l, isExpr := n.(ast.Expr); isExpr {
					if own, isText := literal(l); isText && ownName.MatchString(own) {
						name, ok = own, true
					}
				}
			}
			if !ok {
				return true
			}
			calls++
			e, ok := lookup(name)
			if !ok {
				t.Errorf("%s: no condition %s", set.Position(n.Pos()), name)
				return true
			}
			for _, m := range placeholder.FindAllStringSubmatch(e.Message, -1) {
				if params != nil && !params[m[1]] {
					t.Errorf("%s: %s without its parameter %s", set.Position(n.Pos()), name, m[1])
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls == 0 {
		t.Error("no call found")
	}
}

// newCall takes a condition.New call with a literal name apart. The parameters are nil
// if they are not all literals.
func newCall(n ast.Node) (name string, params map[string]bool, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", nil, false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "New" {
		return "", nil, false
	}
	if pkg, ok := f.X.(*ast.Ident); !ok || pkg.Name != "condition" {
		return "", nil, false
	}
	name, ok = literal(call.Args[0])
	if !ok || call.Ellipsis.IsValid() {
		return name, nil, ok
	}
	params = map[string]bool{}
	for i := 1; i < len(call.Args); i += 2 {
		p, ok := literal(call.Args[i])
		if !ok {
			return name, nil, true
		}
		params[p] = true
	}
	return name, params, true
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// lookup is condition.New without its panic.
func lookup(name string) (e *condition.Error, ok bool) {
	defer func() { ok = recover() == nil }()
	return condition.New(name), true
}
