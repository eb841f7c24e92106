package checkpoint_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
)

var update = flag.Bool("update", false, "write docs/restart.md from the rules")

// TestDocument: docs/restart.md is what the rules say.
func TestDocument(t *testing.T) {
	const file = "../docs/restart.md"
	want := checkpoint.Document()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s is stale: go test ./checkpoint -run Document -update\n%s", file, diff)
	}
}

// TestRules: every rule says all that a user needs, and its scenarios exist.
func TestRules(t *testing.T) {
	for _, r := range checkpoint.Rules {
		if r.Group == "" || r.Change == "" || r.Noun == "" || r.Why == "" || r.Verdict == checkpoint.Refused && r.Do == "" {
			t.Errorf("%s is incomplete", r.Key)
		}
		if !strings.HasSuffix(r.Why, ".") || strings.HasSuffix(r.Do, ".") {
			t.Errorf("%s: why is a sentence, do is not", r.Key)
		}
		for _, s := range r.Scenarios {
			if _, err := os.Stat(filepath.Join("../conformance/scenarios", s+".yaml")); err != nil {
				t.Errorf("%s: %v", r.Key, err)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	spec := func(facts ...string) checkpoint.Spec {
		s := checkpoint.Spec{}
		for _, f := range facts {
			parts := strings.Split(f, "|")
			s.Facts = append(s.Facts, checkpoint.Fact{Key: parts[0], Subject: parts[1], Value: parts[2]})
		}
		return s
	}
	named := func(removed string, names ...string) checkpoint.Spec {
		s := checkpoint.Spec{Sources: names}
		if removed != "" {
			s.Removed = []string{removed}
		}
		return s
	}
	tests := []struct {
		name        string
		before, now checkpoint.Spec
		want        string
	}{
		{"nothing", spec("sink.kind||noop"), spec("sink.kind||noop"), ""},
		{"not known before", spec(), spec("sink.kind||noop"), ""},
		{"to a file sink", spec("sink.kind||noop"), spec("sink.kind||FileSink"), "refused: the sink was noop and is FileSink"},
		{"from a file sink", spec("sink.kind||FileSink"), spec("sink.kind||noop"), "allowed: the sink was FileSink and is noop"},
		{"folder", spec("sink.folder|the sink|/a"), spec("sink.folder|the sink|/b"), "refused: the folder of the sink was /a and is /b"},
		{"topic", spec("sink.target|the sink|a"), spec("sink.target|the sink|b"), "allowed: the target of the sink was a and is b"},
		{"wider path", spec("source.path|source 0|/a/b"), spec("source.path|source 0|/a"), "allowed: the path of source 0 was /a/b and is /a"},
		{"narrower path", spec("source.path|source 0|/a"), spec("source.path|source 0|/a/b"), "refused: the path of source 0 was /a and is /a/b"},
		{"sister path", spec("source.path|source 0|/ab"), spec("source.path|source 0|/a"), "refused: the path of source 0 was /ab and is /a"},
		{"two", spec("query.mode||append", "query.trigger||once"), spec("query.mode||update", "query.trigger||availableNow"),
			"allowed: the output mode was append and is update; allowed: the trigger was once and is availableNow"},
		{"added", named("", "a"), named("", "a", "b"), "allowed: the name of source b was  and is added"},
		{"gone", named("", "a", "b"), named("", "b"), "allowed: the name of source a was there and is removed"},
		{"back", named("a", "b"), named("", "a", "b"), "refused: the name of source a was removed and is added again"},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range checkpoint.Compare(tt.before, tt.now) {
			got = append(got, string(c.Verdict)+": "+c.What()+" was "+c.Before+" and is "+c.Now)
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, s, tt.want)
		}
	}
	if got := checkpoint.RemovedSources(named("a", "b", "c"), named("", "c", "d")); strings.Join(got, " ") != "a b" {
		t.Errorf("removed %v", got)
	}
}

// TestRefusals: an error of a rule leads back to it.
func TestRefusals(t *testing.T) {
	err := checkpoint.Refuse("source.number", "", "1", "2")
	if !errors.Is(err, condition.Name("VSTREAM_RESTART_REFUSED")) || !strings.Contains(err.Error(), "streaming sources was 1 and is 2 now. Without names") {
		t.Error(err)
	}
	c, ok := checkpoint.RefusalOf(condition.In(err, "query q"))
	if !ok || c.Key != "source.number" || c.Before != "1" || c.Now != "2" {
		t.Errorf("%+v", c)
	}
	c, ok = checkpoint.RefusalOf(condition.New("STREAMING_QUERY_EVOLUTION_ERROR.CANNOT_ENABLE_ON_EXISTING_CHECKPOINT", "existingVersion", 1))
	if !ok || c.Key != "names.on" || c.Detail == "" {
		t.Errorf("%+v", c)
	}
	if _, ok := checkpoint.RefusalOf(condition.New("DIVIDE_BY_ZERO")); ok {
		t.Error("a rule about divisions")
	}
	if _, ok := checkpoint.RefusalOf(nil); ok {
		t.Error("a rule about nothing")
	}
}
