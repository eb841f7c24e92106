package parquet

import (
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/vstream/vstream/condition"
)

type nodeKind uint8

const (
	leafNode nodeKind = iota
	structNode
	listNode
	mapNode
)

// node is a field of the file as Spark sees it: the repeated groups that
// Parquet needs around lists and maps are folded into the list or map node.
type node struct {
	name string
	path string
	kind nodeKind
	leaf *schema.Column // leafNode
	col  int            // leafNode: number of the column chunk
	kids []*node        // fields; the element of a list; key and value of a map

	// A slot of the node exists where the definition level is at least slotDef
	// and a new one begins where the repetition level is at most slotRep; its
	// value is not null where the definition level is at least def.
	slotDef, slotRep, def int16
	// elemDef and elemRep are slotDef and slotRep of the entries of a list or map.
	elemDef, elemRep int16
}

// child finds a field without regard to case; nil if there is none.
func (n *node) child(name string) (*node, error) {
	var found *node
	for _, k := range n.kids {
		if !strings.EqualFold(k.name, name) {
			continue
		}
		if found != nil {
			return nil, condition.New("_LEGACY_ERROR_TEMP_2093", "requiredFieldName", name, "matchedOrcFields", "["+found.name+", "+k.name+"]")
		}
		found = k
	}
	return found, nil
}

// firstLeaf is a leaf below n; its levels tell the structure above it.
func (n *node) firstLeaf() *node {
	for n.kind != leafNode {
		if len(n.kids) == 0 {
			return nil
		}
		n = n.kids[0]
	}
	return n
}

type treeBuilder struct{ s *schema.Schema }

func buildTree(s *schema.Schema) (*node, error) {
	b := treeBuilder{s}
	root := &node{kind: structNode}
	return root, b.fields(root, s.Root(), 0)
}

func (b treeBuilder) fields(n *node, g *schema.GroupNode, rep int16) error {
	for i := 0; i < g.NumFields(); i++ {
		k, err := b.field(g.Field(i), n.slotDef, rep, n.def)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, k)
	}
	return nil
}

// field builds a field whose parent is not null at level def.
func (b treeBuilder) field(x schema.Node, slotDef, rep, def int16) (*node, error) {
	if x.RepetitionType() == parquet.Repetitions.Repeated {
		// A repeated field outside a LIST is an array of required elements.
		n := &node{name: x.Name(), path: x.Path(), kind: listNode, slotDef: slotDef, slotRep: rep, def: def, elemDef: def + 1, elemRep: rep + 1}
		e, err := b.value(x, def+1, rep+1, def+1)
		n.kids = []*node{e}
		return n, err
	}
	if x.RepetitionType() == parquet.Repetitions.Optional {
		def++
	}
	return b.value(x, slotDef, rep, def)
}

// value builds the value of x, which is not null at level def.
func (b treeBuilder) value(x schema.Node, slotDef, rep, def int16) (*node, error) {
	n := &node{name: x.Name(), path: x.Path(), slotDef: slotDef, slotRep: rep, def: def}
	g, ok := x.(*schema.GroupNode)
	if !ok {
		n.col = b.s.ColumnIndexByNode(x)
		n.leaf = b.s.Column(n.col)
		return n, nil
	}
	if g.NumFields() == 1 && g.Field(0).RepetitionType() == parquet.Repetitions.Repeated {
		r := g.Field(0)
		switch g.ConvertedType() {
		case schema.ConvertedTypes.List:
			return n, b.list(n, g, r)
		case schema.ConvertedTypes.Map, schema.ConvertedTypes.MapKeyValue:
			if kv, ok := r.(*schema.GroupNode); ok && kv.NumFields() == 2 {
				return n, b.entries(n, kv)
			}
		}
	}
	n.kind = structNode
	return n, b.fields(n, g, rep)
}

func (b treeBuilder) list(n *node, g *schema.GroupNode, r schema.Node) (err error) {
	n.kind, n.elemDef, n.elemRep = listNode, n.def+1, n.slotRep+1
	rg, isGroup := r.(*schema.GroupNode)
	var e *node
	if !isGroup || rg.NumFields() > 1 || r.Name() == "array" || r.Name() == g.Name()+"_tuple" {
		// The two-level form of old writers: the repeated field is the element.
		e, err = b.value(r, n.elemDef, n.elemRep, n.elemDef)
	} else {
		e, err = b.field(rg.Field(0), n.elemDef, n.elemRep, n.elemDef)
	}
	n.kids = []*node{e}
	return err
}

func (b treeBuilder) entries(n *node, kv *schema.GroupNode) error {
	n.kind, n.elemDef, n.elemRep = mapNode, n.def+1, n.slotRep+1
	for i := range 2 {
		k, err := b.field(kv.Field(i), n.elemDef, n.elemRep, n.elemDef)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, k)
	}
	return nil
}
