// Package registry keeps what registers itself on import under names: sources and sinks.
package registry

import (
	"sort"
	"strings"
)

// Registry holds descriptors of one kind.
type Registry[T any] struct {
	kind  string // for the panic: "source"
	specs map[string]*T
}

// New makes an empty registry.
func New[T any](kind string) *Registry[T] {
	return &Registry[T]{kind: kind, specs: map[string]*T{}}
}

// Add registers a descriptor under lower-case names; a duplicate is a bug and panics.
func (r *Registry[T]) Add(spec *T, name string, aliases []string) {
	for _, n := range append([]string{name}, aliases...) {
		if r.specs[n] != nil {
			panic(r.kind + ": registered twice: " + n)
		}
		r.specs[n] = spec
	}
}

// Lookup finds a descriptor by a name, without regard to case.
func (r *Registry[T]) Lookup(name string) (*T, bool) {
	s, ok := r.specs[strings.ToLower(name)]
	return s, ok
}

// Names are all registered names, sorted.
func (r *Registry[T]) Names() []string {
	var out []string
	for n := range r.specs {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Option reads an option; its exact name comes before one that differs in case only.
func Option(options map[string]string, name string) (string, bool) {
	if v, ok := options[name]; ok {
		return v, true
	}
	for k, v := range options {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}
