package sink

import (
	"sort"
	"strings"
)

// Get reads an option without regard to the case of its name.
func (o Options) Get(name string) (string, bool) {
	if v, ok := o[name]; ok {
		return v, true
	}
	for k, v := range o {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

var specs = map[string]*Spec{}

// Register adds a sink; a duplicate name is a bug and panics.
func Register(s Spec) {
	for _, n := range append([]string{s.Name}, s.Aliases...) {
		if specs[n] != nil {
			panic("sink: registered twice: " + n)
		}
		specs[n] = &s
	}
}

// Lookup finds a sink by its name, without regard to case.
func Lookup(name string) (*Spec, bool) {
	s, ok := specs[strings.ToLower(name)]
	return s, ok
}

// Names are all registered names, sorted.
func Names() []string {
	var out []string
	for n := range specs {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}
