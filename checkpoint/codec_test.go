package checkpoint_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
)

// spark reads a file that Spark 4.3 wrote.
func spark(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "spark", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sortConf brings the settings of an entry, which Spark writes in the order of a hash
// map, into the order in which vstream writes them.
func sortConf(t *testing.T, data []byte) string {
	t.Helper()
	lines := strings.Split(string(data), "\n")
	i := strings.Index(lines[1], `"conf":`) + len(`"conf":`)
	var conf map[string]string
	dec := json.NewDecoder(strings.NewReader(lines[1][i:]))
	if err := dec.Decode(&conf); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(conf)
	if err != nil {
		t.Fatal(err)
	}
	lines[1] = lines[1][:i] + string(sorted) + lines[1][i+int(dec.InputOffset()):]
	return strings.Join(lines, "\n")
}

func TestOffsetsAsSparkWritesThem(t *testing.T) {
	for _, name := range []string{"offsets-v1", "offsets-v2"} {
		data := spark(t, name)
		e, err := checkpoint.DecodeOffsets(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if e.WatermarkMs != 1704068940000 || e.Conf["spark.sql.shuffle.partitions"] != "2" {
			t.Errorf("%s: %+v", name, e)
		}
		again, err := checkpoint.EncodeOffsets(e)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sortConf(t, data), string(again)); diff != "" {
			t.Errorf("%s: (-Spark +vstream)\n%s", name, diff)
		}
	}
	e, _ := checkpoint.DecodeOffsets("", spark(t, "offsets-v2"))
	if string(e.Sources["flights"]) != `{"logOffset":0}` || len(e.Sources) != 2 {
		t.Errorf("sources: %v", e.Sources)
	}
}

func TestCommitsAsSparkWritesThem(t *testing.T) {
	for _, name := range []string{"commits-v1", "commits-v2"} {
		data := spark(t, name)
		e, err := checkpoint.DecodeCommit(name, data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := checkpoint.EncodeCommit(e)
		if err != nil || string(again) != string(data) {
			t.Errorf("%s: %s, %v\nwant %s", name, again, err, data)
		}
	}
	e, _ := checkpoint.DecodeCommit("", spark(t, "commits-v2"))
	want := map[int64][][]string{0: {{"3de45b83-4685-4d33-99f5-9febf7fb914e"}, {"c2aaa37a-1c8b-47be-be9e-a0c8be868401"}}}
	if !reflect.DeepEqual(e.StateIDs, want) {
		t.Errorf("state ids: %v", e.StateIDs)
	}
}

func TestOffsetForms(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		name string
		e    checkpoint.OffsetEntry
		want string // "" if it cannot be written
	}{
		{"void and long offsets", checkpoint.OffsetEntry{Version: 1, WatermarkMs: 5, TimestampMs: 7, Ordered: []json.RawMessage{raw("51"), nil, raw("{\"a\": \n 1}")}},
			"v1\n{\"batchWatermarkMs\":5,\"batchTimestampMs\":7,\"conf\":{}}\n51\n-\n{\"a\":1}"},
		{"no sources", checkpoint.OffsetEntry{Version: 1}, "v1\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":0,\"conf\":{}}"},
		{"named", checkpoint.OffsetEntry{Version: 2, Conf: map[string]string{"k": "<&>"}, Sources: map[string]json.RawMessage{"b": raw(`"x:y"`), "a": nil}},
			"v2\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":0,\"conf\":{\"k\":\"<&>\"},\"sourceMetadataInfo\":{}}\na:-\nb:\"x:y\""},
		{"bad JSON", checkpoint.OffsetEntry{Version: 1, Ordered: []json.RawMessage{raw("{")}}, ""},
		{"bad name", checkpoint.OffsetEntry{Version: 2, Sources: map[string]json.RawMessage{"a:b": nil}}, ""},
		{"bad version", checkpoint.OffsetEntry{Version: 3}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := checkpoint.EncodeOffsets(tt.e)
			if (err == nil) != (tt.want != "") || err == nil && string(got) != tt.want {
				t.Fatalf("got %q, %v\nwant %q", got, err, tt.want)
			}
			if err != nil {
				return
			}
			back, err := checkpoint.DecodeOffsets("f", got)
			if err != nil {
				t.Fatal(err)
			}
			again, err := checkpoint.EncodeOffsets(back)
			if err != nil || string(again) != tt.want {
				t.Errorf("read and written again: %q, %v", again, err)
			}
		})
	}
}

func TestCommitForms(t *testing.T) {
	sinks := map[string]checkpoint.SinkInfo{"s": {SinkName: "s", CommitOffset: "-", ProviderName: "noop", IsActive: true}}
	tests := []struct {
		e    checkpoint.CommitEntry
		want string
	}{
		{checkpoint.CommitEntry{Version: 1, NextWatermarkMs: 9}, "v1\n{\"nextBatchWatermarkMs\":9}"},
		{checkpoint.CommitEntry{Version: 2}, "v2\n{\"nextBatchWatermarkMs\":0}"},
		{checkpoint.CommitEntry{Version: 3, Sinks: sinks},
			"v3\n{\"nextBatchWatermarkMs\":0,\"sinkMetadataMap\":{\"s\":{\"sinkName\":\"s\",\"commitOffset\":\"-\",\"providerName\":\"noop\",\"isActive\":true}}}"},
		{checkpoint.CommitEntry{Version: 1, StateIDs: map[int64][][]string{0: {{"a"}}}}, ""},
		{checkpoint.CommitEntry{Version: 2, Sinks: sinks}, ""},
		{checkpoint.CommitEntry{}, ""},
	}
	for _, tt := range tests {
		got, err := checkpoint.EncodeCommit(tt.e)
		if (err == nil) != (tt.want != "") || err == nil && string(got) != tt.want {
			t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
		}
		if err != nil {
			continue
		}
		if back, err := checkpoint.DecodeCommit("f", got); err != nil || !reflect.DeepEqual(back, tt.e) {
			t.Errorf("read back: %+v, %v", back, err)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	offsets := func(b []byte) error { _, err := checkpoint.DecodeOffsets("offsets/3", b); return err }
	commits := func(b []byte) error { _, err := checkpoint.DecodeCommit("commits/3", b); return err }
	operator := func(b []byte) error { _, err := checkpoint.DecodeOperator("state/0/_metadata/metadata", b); return err }
	metadata := func(b []byte) error { _, err := checkpoint.DecodeMetadata("metadata", b); return err }
	const corrupt, malformed, newer = "VSTREAM_CORRUPT_FILE", "MALFORMED_LOG_FILE", "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION"
	tests := []struct {
		decode func([]byte) error
		data   string
		want   condition.Name
	}{
		{offsets, "", corrupt},
		{offsets, "v1", corrupt},
		{offsets, "hello\n{}", malformed},
		{offsets, "v\n{}", malformed},
		{offsets, "v0\n{}", malformed},
		{offsets, "v-1\n{}", malformed},
		{offsets, "v9\n{}", newer},
		{offsets, "v1\n{\"batchW", corrupt},
		{offsets, "v1\n[]", corrupt},
		{offsets, "v1\nnull", corrupt},
		{offsets, "v1\n{}\n{\"logOff", corrupt},
		{offsets, "v1\n{}\n", ""},
		{offsets, "v1\n\n51", ""},
		{offsets, "v1\n{}\n\n", corrupt},
		{offsets, "v2\n{}\nnocolon", corrupt},
		{offsets, "v2\n{}\na:1\na:2", corrupt},
		{offsets, "v1\n{}\n\xff", corrupt},
		{commits, "", corrupt},
		{commits, "v1", ""},
		{commits, "v4\n{}", newer},
		{commits, "v1\n{", corrupt},
		{commits, "v1\n{}\n{}", corrupt},
		{commits, "v2\n{\"stateUniqueIds\":{\"x\":[]}}", corrupt},
		{operator, "", corrupt},
		{operator, "v2\n{}", newer},
		{operator, "v1\n{}", corrupt},
		{operator, `v1` + "\n" + `{"operatorInfo":{"operatorId":0,"operatorName":"dedupe"},"stateStoreInfo":[{"storeName":"default","numPartitions":0}]}`, corrupt},
		{metadata, "", corrupt},
		{metadata, "{", corrupt},
		{metadata, "{}", corrupt},
		{metadata, `{"id":"x","more":1}`, ""},
	}
	for _, tt := range tests {
		err := tt.decode([]byte(tt.data))
		if tt.want == "" && err != nil || tt.want != "" && !errors.Is(err, tt.want) {
			t.Errorf("%q: %v, want %s", tt.data, err, tt.want)
		}
		if err != nil && !strings.Contains(err.Error(), "/3") && !strings.Contains(err.Error(), "metadata") {
			t.Errorf("%q: the file is not named: %v", tt.data, err)
		}
	}
}

func FuzzDecodeOffsets(f *testing.F) {
	f.Add(spark(f, "offsets-v1"))
	f.Add(spark(f, "offsets-v2"))
	f.Add([]byte("v2\n{}\na:-\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := checkpoint.DecodeOffsets("f", data)
		if err != nil {
			return
		}
		once, err := checkpoint.EncodeOffsets(e)
		if err != nil {
			t.Fatalf("%q cannot be written again: %v", data, err)
		}
		back, err := checkpoint.DecodeOffsets("f", once)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := checkpoint.EncodeOffsets(back); err != nil || string(twice) != string(once) {
			t.Fatalf("%q then %q, %v", once, twice, err)
		}
	})
}

func FuzzDecodeCommit(f *testing.F) {
	f.Add(spark(f, "commits-v1"))
	f.Add(spark(f, "commits-v2"))
	f.Add([]byte("v3\n{\"sinkMetadataMap\":{\"s\":{}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := checkpoint.DecodeCommit("f", data)
		if err != nil {
			return
		}
		once, err := checkpoint.EncodeCommit(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := checkpoint.DecodeCommit("f", once)
		if err != nil || back.NextWatermarkMs != e.NextWatermarkMs || len(back.StateIDs) != len(e.StateIDs) {
			t.Fatalf("%+v then %+v, %v", e, back, err)
		}
	})
}

func FuzzDecodeOperator(f *testing.F) {
	f.Add(spark(f, "operator"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if op, err := checkpoint.DecodeOperator("f", data); err == nil && op.Operator.Name == "" {
			t.Fatal("an operator without a name")
		}
	})
}
