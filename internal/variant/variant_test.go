package variant_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/variant"
)

func value(b *variant.Builder) variant.Value {
	return variant.Value{Metadata: b.AppendMetadata(nil), Data: b.Data()}
}

// TestEncoding compares with what Spark writes for {"a":1}.
func TestEncoding(t *testing.T) {
	var b variant.Builder
	f := b.Field([]byte("a"), 0)
	b.Int(1)
	b.EndObject(0, []variant.Field{f})
	v := value(&b)
	if want := []byte("\x02\x01\x00\x00\x02\x0c\x01"); !bytes.Equal(v.Data, want) {
		t.Errorf("value % x, want % x", v.Data, want)
	}
	if want := []byte("\x01\x01\x00\x01a"); !bytes.Equal(v.Metadata, want) {
		t.Errorf("metadata % x, want % x", v.Metadata, want)
	}
}

func TestScalars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b variant.Builder
		n := rapid.Int64().Draw(t, "int") >> rapid.IntRange(0, 60).Draw(t, "shift")
		s := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "bytes")
		d := decimal.FromInt(n)
		scale := rapid.IntRange(0, 38).Draw(t, "scale")
		offsets := []int{}
		add := func(f func()) {
			offsets = append(offsets, b.Len())
			f()
		}
		add(func() { b.Int(n) })
		add(func() { b.String(s) })
		add(func() { b.Binary(s) })
		add(func() { b.Decimal(d, scale) })
		add(func() { b.Double(float64(n)) })
		b.EndArray(0, offsets)
		v := value(&b)
		if v.Len() != 5 || v.Elem(0).Int() != n || !bytes.Equal(v.Elem(1).Bytes(), s) || !bytes.Equal(v.Elem(2).Bytes(), s) ||
			v.Elem(4).Double() != float64(n) {
			t.Fatalf("% x", v.Data)
		}
		got, sc := v.Elem(3).Decimal()
		if back, ok := decimal.Rescale(got, sc, decimal.MaxPrecision, scale); ok && back != d {
			t.Fatalf("decimal %v at %d, want %v at %d", got, sc, d, scale)
		}
		var c variant.Builder
		c.Value(v)
		if !bytes.Equal(c.Data(), v.Data) {
			t.Fatalf("copy % x, want % x", c.Data(), v.Data)
		}
	})
}

func TestLargeObject(t *testing.T) {
	var b variant.Builder
	var fields []variant.Field
	for i := range 1000 {
		fields = append(fields, b.Field([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('0' + i/676)}, 0))
		b.Int(int64(i))
	}
	if twice, ok := b.EndObject(0, fields); !ok {
		t.Fatal(twice)
	}
	v := value(&b)
	if v.Kind() != variant.Object || v.Len() != 1000 {
		t.Fatal(v.Kind(), v.Len())
	}
	if got, ok := v.Get([]byte("bb0")); !ok || got.Int() != 27 {
		t.Error(got, ok)
	}
	if _, ok := v.Get([]byte("none")); ok {
		t.Error("found a field that is not there")
	}
}

func TestParsePath(t *testing.T) {
	for path, want := range map[string]bool{
		"$": true, "$.a": true, "$.a.b[3]['c d'][\"e\"]": true, "$['it\\'s']": true,
		"": false, "a": false, "$.": false, "$a": false, "$[": false, "$[]": false, "$[x]": false, "$['a'": false, "$[\"\"]": true, "$[-1]": false, "$..a": false,
	} {
		if _, ok := variant.ParsePath(path); ok != want {
			t.Errorf("ParsePath(%q) = %v", path, ok)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\x01\x01\x00\x01a"), []byte("\x02\x01\x00\x00\x02\x0c\x01"))
	f.Add([]byte{}, []byte("\x03\x02\x00\x02\x04\x0c\x01\x0c\x02"))
	f.Fuzz(func(t *testing.T, metadata, data []byte) {
		var b variant.Builder
		b.Value(variant.Value{Metadata: metadata, Data: data})
		if k := value(&b).Kind(); k == variant.Malformed {
			t.Errorf("the copy of % x is malformed: % x", data, b.Data())
		}
	})
}
