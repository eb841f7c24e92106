package condition_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/vstream/vstream/condition"
)

func TestNewRendersSparkMessages(t *testing.T) {
	tests := []struct {
		name   string
		params []any
		state  string
		want   string
	}{
		{"DIVIDE_BY_ZERO", []any{"config", `"spark.sql.ansi.enabled"`}, "22012",
			"Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead. If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this error."},
		{"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", []any{"sqlExpr", `"(a + b)"`, "left", `"INT"`, "right", `"DATE"`}, "42K09",
			`Cannot resolve "(a + b)" due to data type mismatch: the left and right operands of the binary operator have incompatible types ("INT" and "DATE").`},
		{"INTERNAL_ERROR", []any{"message", "a <b> c"}, "XX000", "a <b> c"},
		{"PATH_NOT_FOUND", nil, "42K03", "Path does not exist: <path>."},
		{"CONCURRENT_STREAM_LOG_UPDATE", []any{"batchId", 7}, "40000",
			"Concurrent update to the log. Multiple streaming jobs detected for 7.\nPlease make sure only one streaming job runs on a specific checkpoint location at a time."},
		{"VSTREAM_CORRUPT_FILE", []any{"file", "a/<detail>", "detail", "bad checksum"}, "XX001", "File a/<detail> is corrupt: bad checksum."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := condition.New(tt.name, tt.params...)
			if e.Message != tt.want || e.SQLState != tt.state {
				t.Errorf("got %q (%s)\nwant %q (%s)", e.Message, e.SQLState, tt.want, tt.state)
			}
		})
	}
}

func TestNewPanicsOnUnknownName(t *testing.T) {
	for _, name := range []string{"NO_SUCH_CONDITION", "VSTREAM_NO_SUCH", "DIVIDE_BY_ZERO.NOPE", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%q) did not panic", name)
				}
			}()
			condition.New(name)
		}()
	}
}

// TestCatalogueFiles holds the form on which the lookup rests: valid JSON, one
// condition a line, sorted, every entry found, own names and states well-formed.
func TestCatalogueFiles(t *testing.T) {
	for _, file := range []string{"conditions-spark.json", "conditions-vstream.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]struct{ SQLState, Message string }
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var names []string
		for _, line := range strings.Split(strings.Trim(string(text), "{}\n"), "\n") {
			name, _, _ := strings.Cut(strings.TrimPrefix(line, `"`), `"`)
			names = append(names, name)
		}
		if len(names) != len(all) || !sort.StringsAreSorted(names) {
			t.Errorf("%s: %d lines for %d conditions, sorted: %v", file, len(names), len(all), sort.StringsAreSorted(names))
		}
		// A condition of Spark's Python client, which its catalogue lacks.
		const pySpark = "INVALID_STREAMING_SOURCE_NAME"
		state := regexp.MustCompile(`^[0-9A-Z]{5}$`)
		for name, want := range all {
			e := condition.New(name)
			if e.Message != want.Message || e.SQLState != want.SQLState {
				t.Errorf("%s: lookup gives %q (%s)", name, e.Message, e.SQLState)
			}
			if own := file == "conditions-vstream.json"; own != (strings.HasPrefix(name, "VSTREAM_") || name == pySpark) || own && !state.MatchString(want.SQLState) {
				t.Errorf("%s: bad own condition %s (%s)", file, name, want.SQLState)
			}
		}
	}
}

func TestIsMatchesParents(t *testing.T) {
	err := condition.In(condition.New("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"), "query q")
	for name, want := range map[condition.Name]bool{
		"DATATYPE_MISMATCH":                      true,
		"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES": true,
		"DATATYPE_MISMATCH.BINARY":               false,
		"DATATYPE":                               false,
	} {
		if errors.Is(err, name) != want {
			t.Errorf("errors.Is(…, %s) = %v", name, !want)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		_ = condition.New("DIVIDE_BY_ZERO", "config", "x")
	}
}
