package job

import "github.com/goccy/go-yaml/ast"

// merge is RFC 7386 on syntax trees, so that what results keeps its places in the file.
func merge(target, patch ast.Node) ast.Node {
	changes, ok := members(patch)
	if !ok {
		return patch
	}
	old, _ := members(target)
	var out []*ast.MappingValueNode
	at := map[string]int{}
	for _, m := range old {
		at[m.Key.GetToken().Value] = len(out)
		out = append(out, m)
	}
	for _, m := range changes {
		key := m.Key.GetToken().Value
		i, known := at[key]
		_, remove := unwrap(m.Value).(*ast.NullNode)
		switch {
		case remove && known:
			out[i] = nil
			delete(at, key)
		case remove:
		case known:
			out[i] = ast.MappingValue(out[i].Start, out[i].Key, merge(out[i].Value, m.Value))
		default:
			at[key] = len(out)
			out = append(out, ast.MappingValue(m.Start, m.Key, merge(nil, m.Value)))
		}
	}
	kept := out[:0:0]
	for _, m := range out {
		if m != nil {
			kept = append(kept, m)
		}
	}
	return ast.Mapping(patch.GetToken(), true, kept...)
}

// members are the entries of a mapping node.
func members(n ast.Node) ([]*ast.MappingValueNode, bool) {
	if n == nil {
		return nil, false
	}
	switch m := unwrap(n).(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}
