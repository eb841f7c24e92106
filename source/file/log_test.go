package file

import (
	"reflect"
	"testing"

	"github.com/vstream/vstream/internal/text"
)

func FuzzDecodeLog(f *testing.F) {
	f.Add([]byte("v1\n{\"path\":\"file:///in/a%20b.json\",\"timestamp\":1767225600000,\"batchId\":0}"))
	f.Add([]byte("v1"))
	f.Add([]byte("v2\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		es, err := decodeLog("log", data)
		if err != nil {
			return
		}
		again, err := decodeLog("log", encodeLog(es))
		if err != nil || !reflect.DeepEqual(es, again) {
			t.Fatalf("%v %v %v", es, again, err)
		}
	})
}

func FuzzFileURL(f *testing.F) {
	f.Add("/data/a b#%ü?.csv")
	f.Fuzz(func(t *testing.T, p string) {
		p = "/" + p
		if got, err := pathOfURL(fileURL(p)); err != nil || got != p {
			t.Fatalf("%q: %q %v", p, got, err)
		}
	})
}

func TestDurationsAndSizes(t *testing.T) {
	for s, want := range map[string]int64{"7d": weekMs, "10s": 10_000, "5min": 300_000, "250": 250, "1 day": 86_400_000, "2 hours": 7_200_000, "": -1, "x": -1, "1y": -1} {
		got, ok := text.ParseMillis(s)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d", s, got)
		}
	}
	for s, want := range map[string]int64{"100": 100, "10k": 10 << 10, "1MB": 1 << 20, "2g": 2 << 30, "1x": -1, "": -1, "9999999999g": -1} {
		got, ok := text.ParseBytes(s)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d", s, got)
		}
	}
}
