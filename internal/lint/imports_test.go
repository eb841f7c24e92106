// Package lint holds the rules of the source tree that no compiler checks.
package lint

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vstream/vstream"

// mayNotReach lists, per package, what it must not import, even indirectly.
// docs/architecture.md says why.
var mayNotReach = map[string][]string{
	"condition":   {"vector", "kernels", "exec", "stream"},
	"vector":      {"condition", "kernels", "statestore", "exec", "sql", "objstore"},
	"kernels":     {"statestore", "objstore", "sql", "plan", "source", "sink", "exec", "stream", "checkpoint"},
	"sql":         {"vector", "kernels", "plan"},
	"objstore":    {"vector", "statestore", "checkpoint"},
	"watermark":   {"vector", "exec", "stream", "checkpoint"},
	"statestore":  {"kernels", "exec", "checkpoint", "plan", "statestore/memory", "statestore/rocksdb"},
	"checkpoint":  {"exec", "agg", "plan", "source", "sink", "stream"},
	"source":      {"sink", "plan", "exec", "stream", "checkpoint", "statestore"},
	"sink":        {"source", "plan", "exec", "stream", "checkpoint", "statestore"},
	"agg":         {"exec", "statestore", "sql", "plan", "source", "sink", "checkpoint", "stream"},
	"exec":        {"agg", "join", "sql", "plan", "source", "sink", "checkpoint", "stream"},
	"agg/groupby": {"sql", "plan", "source", "sink", "checkpoint", "stream"},
	"agg/session": {"sql", "plan", "source", "sink", "checkpoint", "stream"},
	"dedup":       {"agg", "sql", "plan", "source", "sink", "checkpoint", "stream"},
	"join":        {"agg", "sql", "plan", "source", "sink", "checkpoint", "stream"},
	"plan":        {"exec", "agg/groupby", "statestore", "objstore", "source", "sink", "checkpoint", "stream"},
	"physical":    {"source", "sink", "checkpoint", "stream"},
	"stream":      {"job", "drivers", "statestore/memory", "statestore/rocksdb"},
	"":            {"job", "drivers", "statestore/rocksdb", "source/file", "sink/file"},
	"drivers":     {"statestore/rocksdb"},
}

func TestImports(t *testing.T) {
	for pkg, banned := range mayNotReach {
		deps := list(t, "-deps", strings.TrimSuffix(module+"/"+pkg, "/"))
		for _, b := range banned {
			if slices.Contains(deps, module+"/"+b) {
				t.Errorf("%q reaches %q", pkg, b)
			}
		}
	}
}

// TestConnectors: no source or sink may know another one.
func TestConnectors(t *testing.T) {
	for _, kind := range []string{"source", "sink"} {
		for _, pkg := range list(t, module+"/"+kind+"/...") {
			if pkg == module+"/"+kind {
				continue
			}
			for _, dep := range list(t, "-deps", pkg) {
				for _, other := range []string{"source/", "sink/"} {
					if dep != pkg && strings.HasPrefix(dep, module+"/"+other) && !strings.Contains(dep, "/internal/") {
						t.Errorf("%s reaches %s", pkg, dep)
					}
				}
			}
		}
	}
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}
