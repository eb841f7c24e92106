package statestore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
)

var table = statestore.Schema{
	Keys:     []statestore.Column{{Name: "window.end", Type: "timestamp", Width: 8, Nullable: true}, {Name: "k", Type: "string", Nullable: true}},
	Values:   []statestore.Column{{Name: "sum", Type: "decimal(20, 2)", Width: 16, Nullable: true}, {Name: "count", Type: "bigint", Width: 8}},
	OrderCol: 0,
}

func TestRegistry(t *testing.T) {
	ctx := context.Background()
	dir := mem.New()
	id := statestore.ID{Operator: 2, Partition: 1, Name: "default"}
	registry := statestore.NewRegistry(dir, nil)
	if _, ok, err := registry.Read(ctx, 2, "default"); ok || err != nil {
		t.Errorf("before the first check: %v, %v", ok, err)
	}
	var wg sync.WaitGroup
	for p := range 8 {
		wg.Go(func() {
			if err := registry.Check(ctx, statestore.ID{Operator: 2, Partition: p, Name: "default"}, table); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, ok, err := registry.Read(ctx, 2, "default")
	if d := cmp.Diff(table, got); d != "" || !ok || err != nil {
		t.Errorf("%v, %v\n%s", ok, err, d)
	}

	changed := statestore.Schema{Keys: table.Keys, OrderCol: 0, Values: []statestore.Column{table.Values[1], {Name: "n", Type: "array<int>"}}}
	err = registry.Check(ctx, id, changed)
	const want = "Existing value_schema=StructType(StructField(sum,DecimalType(20,2),true),StructField(count,LongType,false)) " +
		"and new value_schema=StructType(StructField(count,LongType,false),StructField(n,array<int>,false))."
	if !errors.Is(err, condition.Name("STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE")) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}

	retyped := statestore.Schema{Keys: append([]statestore.Column{{Name: "x", Type: "bigint", Width: 8}}, table.Keys[1]), Values: table.Values, OrderCol: 0}
	if err := registry.Check(ctx, id, retyped); !errors.Is(err, condition.Name("STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE")) {
		t.Errorf("%v", err)
	}
	unchecked := statestore.NewRegistry(dir, map[string]string{"spark.sql.streaming.stateStore.stateSchemaCheck": "false"})
	if err := unchecked.Check(ctx, id, retyped); err != nil {
		t.Errorf("without the check: %v", err)
	}
	if err := unchecked.Check(ctx, id, changed); !errors.Is(err, condition.Name("STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE")) {
		t.Errorf("another layout without the check: %v", err)
	}
}

// TestDamagedSchema: no bit of a schema file can change unnoticed, unless it means nothing. Files of before there was
// a checksum are read.
func TestDamagedSchema(t *testing.T) {
	ctx := context.Background()
	dir := mem.New()
	if err := statestore.NewRegistry(dir, nil).Check(ctx, statestore.ID{Operator: 2, Name: "default"}, table); err != nil {
		t.Fatal(err)
	}
	data, err := dir.Get(ctx, "schema/2/default.json")
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(data) {
		damaged := slices.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		got, err := statestore.DecodeSchema("f", damaged)
		if err == nil && !cmp.Equal(table, got) || err != nil && !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) && !errors.Is(err, condition.Name("VSTREAM_NEWER_FORMAT")) {
			t.Errorf("%s: %v, %v", damaged, got, err)
		}
	}
	before, _, ok := strings.Cut(string(data), `,"checksum":`)
	if got, err := statestore.DecodeSchema("f", []byte(before+"}")); !ok || err != nil || !cmp.Equal(table, got) {
		t.Errorf("without a checksum: %v", err)
	}
}

func TestDecodeSchema(t *testing.T) {
	for text, want := range map[string]condition.Name{
		``:                               "VSTREAM_CORRUPT_FILE",
		`{`:                              "VSTREAM_CORRUPT_FILE",
		`{"version":0,"orderColumn":-1}`: "VSTREAM_CORRUPT_FILE",
		`{"version":2,"orderColumn":-1}`: "VSTREAM_NEWER_FORMAT",
		`{"version":1,"orderColumn":0}`:  "VSTREAM_CORRUPT_FILE",
		`{"version":1,"orderColumn":-2}`: "VSTREAM_CORRUPT_FILE",
		`{"version":1,"orderColumn":0,"keys":[{"width":4}]}`:     "VSTREAM_CORRUPT_FILE",
		`{"version":1,"orderColumn":-1,"values":[{"width":-4}]}`: "VSTREAM_CORRUPT_FILE",
	} {
		if _, err := statestore.DecodeSchema("f", []byte(text)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzDecodeSchema(f *testing.F) {
	f.Add([]byte(`{"version":1,"operator":0,"store":"default","keys":[{"name":"k","type":"bigint","width":8}],"values":[],"orderColumn":0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := statestore.DecodeSchema("f", data); err == nil && s.OrderCol >= len(s.Keys) {
			t.Fatal("an order column that is not there")
		}
	})
}
