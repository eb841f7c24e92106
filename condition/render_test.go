package condition_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vstream/vstream/condition"
)

var update = flag.Bool("update", false, "write the golden renderings")

func at(file, text, span string) *condition.Pos {
	i := strings.Index(text, span)
	p := condition.At(text, i, i+len(span))
	p.File = file
	return p
}

func TestRender(t *testing.T) {
	column := func() *condition.Error {
		return condition.New("UNRESOLVED_COLUMN.WITH_SUGGESTION", "objectName", "`carier`", "proposal", "`carrier`, `delay`")
	}
	job := "name: delays\nsql: |\n  SELECT carier, count(*)\n  FROM flights\n  GROUP BY ALL\n"
	long := "SELECT " + strings.Repeat("a + ", 60) + "carier" + strings.Repeat(" + b", 60)
	tests := map[string]error{
		"plain":        errors.New("no condition\nat all"),
		"position":     column().WithPos(at("job.yaml", job, "carier")).WithHint("did you mean `carrier`?"),
		"where":        condition.In(condition.In(column(), "batch 12"), "query delays"),
		"multiline":    column().WithPos(at("job.yaml", job, "count(*)\n  FROM flights")),
		"tabs_unicode": column().WithPos(at("q.sql", "\tSELECT 'Zürich', carier", "carier")),
		"long_line":    column().WithPos(at("q.sql", long, "carier")),
		"long_span":    column().WithPos(at("q.sql", long, long[7:])),
		"end_of_text":  condition.New("PARSE_EMPTY_STATEMENT").WithPos(condition.At("SELECT", 6, 6)),
		"crlf":         column().WithPos(at("q.sql", "SELECT\r\n  carier\r\nFROM t", "carier")),
		"cause":        condition.IO(fmt.Errorf("sync: %w", syscall.ENOSPC), "write", "/data/ckpt/offsets/3"),
		"multi_message": condition.New("CONCURRENT_STREAM_LOG_UPDATE", "batchId", 3).
			WithCause(errors.New("object exists")),
		"joined":  errors.Join(column(), errors.New("and another")),
		"wrapped": fmt.Errorf("outer: %w", column()),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("testdata", name+".txt")
			got := condition.Render(err)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	if condition.Render(nil) != "" {
		t.Error("Render(nil) is not empty")
	}
}

func FuzzRender(f *testing.F) {
	f.Add("SELECT x\nFROM y", 7, 8)
	f.Add("", -1, 5)
	f.Add("ä\xff\t", 1, 900)
	f.Fuzz(func(t *testing.T, text string, offset, end int) {
		out := condition.Render(condition.New("INTERNAL_ERROR", "message", "m").WithPos(condition.At(text, offset, end)))
		if !strings.HasPrefix(out, "error[INTERNAL_ERROR]: m\n") || !strings.HasSuffix(out, "\n") {
			t.Errorf("bad rendering %q", out)
		}
	})
}
