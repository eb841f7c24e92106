package physical

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Explain lists the pipelines of a plan and the state of its operators.
func (p *Plan) Explain() string {
	var b strings.Builder
	exchange := map[any]int{}
	for i, pipe := range p.Graph.Pipelines {
		fmt.Fprintf(&b, "pipeline %d: ", i)
		if pipe.Scan >= 0 {
			s := p.Scans[pipe.Scan]
			if s.Relation == nil {
				b.WriteString("constant rows")
			} else {
				fmt.Fprintf(&b, "scan %s (%d of %d columns)", s.Relation.Name, len(s.Columns), s.Relation.Schema.Len())
				if s.NewFilter != nil {
					b.WriteString(" with a filter")
				}
			}
		} else {
			for k, in := range pipe.Inputs {
				if k > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "exchange %d", exchange[in])
			}
		}
		for _, op := range pipe.Ops {
			b.WriteString(" → " + op.Name)
			if op.ID >= 0 {
				fmt.Fprintf(&b, " #%d", op.ID)
			}
			if op.Note != "" {
				b.WriteString(" [" + op.Note + "]")
			}
		}
		if pipe.Dest == nil {
			b.WriteString(" → sink\n")
			continue
		}
		if _, ok := exchange[pipe.Dest]; !ok {
			exchange[pipe.Dest] = len(exchange)
		}
		fmt.Fprintf(&b, " → exchange %d (%d partitions)\n", exchange[pipe.Dest], pipe.Dest.Partitions)
	}
	for _, op := range p.Operators {
		fmt.Fprintf(&b, "state #%d %s: %d partitions", op.ID, op.Name, op.Partitions)
		properties(&b, op.Spec)
		properties(&b, op.Notes)
		if op.Evicts {
			b.WriteString("; the watermark closes groups")
		} else {
			b.WriteString("; nothing leaves the state")
		}
		b.WriteByte('\n')
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for i, t := range p.Statics {
		fmt.Fprintf(&b, "table %d, read before each batch if it has changed:\n", i)
		for line := range strings.Lines(t.Plan.Explain()) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// properties writes "; name value" for each entry, by name.
func properties(b *strings.Builder, of map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "; %s %s", k, of[k])
	}
}
