package registry_test

import (
	"reflect"
	"testing"

	"github.com/vstream/vstream/internal/registry"
)

func TestRegistry(t *testing.T) {
	type spec struct{ name string }
	r := registry.New[spec]("thing")
	a, b := &spec{"a"}, &spec{"b"}
	r.Add(a, "one", []string{"uno"})
	r.Add(b, "two", nil)
	for name, want := range map[string]*spec{"one": a, "ONE": a, "uno": a, "Two": b, "three": nil} {
		if got, ok := r.Lookup(name); got != want || ok != (want != nil) {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
	if got := r.Names(); !reflect.DeepEqual(got, []string{"one", "two", "uno"}) {
		t.Errorf("names: %v", got)
	}
	defer func() {
		if got := recover(); got != "thing: registered twice: uno" {
			t.Errorf("panic: %v", got)
		}
	}()
	r.Add(b, "uno", nil)
}

func TestOption(t *testing.T) {
	options := map[string]string{"Path": "a", "path": "b", "maxFilesPerTrigger": "1"}
	for name, want := range map[string]string{"path": "b", "Path": "a", "MAXFILESPERTRIGGER": "1", "x": ""} {
		if got, ok := registry.Option(options, name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}
