package source

import "github.com/vstream/vstream/internal/registry"

// Get reads an option without regard to the case of its name.
func (o Options) Get(name string) (string, bool) { return registry.Option(o, name) }

var specs = registry.New[Spec]("source")

// Register adds a source; a duplicate name is a bug and panics.
func Register(s Spec) { specs.Add(&s, s.Name, s.Aliases) }

// Lookup finds a source by its name, without regard to case.
func Lookup(name string) (*Spec, bool) { return specs.Lookup(name) }

// Names are all registered names, sorted.
func Names() []string { return specs.Names() }
