package parquet

import (
	"slices"
	"testing"
)

// Writers of old pack levels from the highest bit on; no writer at hand does.
func TestBitPackedLevels(t *testing.T) {
	if got := bitPacked([]byte{0b1011_0001, 0b1000_0000}, 9, 1); !slices.Equal(got, []int16{1, 0, 1, 1, 0, 0, 0, 1, 1}) {
		t.Errorf("%v", got)
	}
	if got := bitPacked([]byte{0b1100_1001}, 4, 2); !slices.Equal(got, []int16{3, 0, 2, 1}) {
		t.Errorf("%v", got)
	}
}

func TestHybridEndsEarly(t *testing.T) {
	for _, data := range [][]byte{nil, {0x80}, {4}, {3}, {3, 1, 2}, {0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}} {
		h := hybrid{data: data, width: 12}
		if err := h.levels(make([]int16, 8)); err == nil {
			t.Errorf("%v is enough", data)
		}
	}
}
