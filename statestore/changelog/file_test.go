package changelog_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

func file(t testing.TB) ([]byte, statestore.Schema) {
	t.Helper()
	s := schema([]int{8}, []int{0})
	var sections []changelog.Section
	for p := range 3 {
		b := block([]row{{[]byte("12345678"), []byte("value")}}, []int{8, 0}, 0)
		data, err := changelog.EncodeSection(nil, s, &statestore.Changes{Puts: []statestore.Block{b}})
		if err != nil {
			t.Fatal(err)
		}
		sections = append(sections, changelog.Section{ID: statestore.ID{Operator: 1, Partition: p, Name: "default"}, Data: data})
	}
	return changelog.Assemble(changelog.Changelog, statestore.Version{N: 7, Attempt: "b"}, statestore.Version{N: 6, Attempt: "a"}, sections), s
}

func TestFile(t *testing.T) {
	data, s := file(t)
	h, err := changelog.ReadHead("f", changelog.Changelog, data)
	if err != nil {
		t.Fatal(err)
	}
	if h.Version != (statestore.Version{N: 7, Attempt: "b"}) || h.Base != (statestore.Version{N: 6, Attempt: "a"}) || len(h.Sections) != 3 {
		t.Errorf("head %+v", h)
	}
	section, ok := h.Find(statestore.ID{Operator: 1, Partition: 2, Name: "default"})
	if !ok {
		t.Fatal("partition 2 not found")
	}
	if c, err := section.Read("f", data, s); err != nil || len(c.Puts) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, ok := h.Find(statestore.ID{Operator: 2, Name: "default"}); ok {
		t.Error("found a table that is not there")
	}
	if _, err := changelog.ReadHead("f", changelog.Snapshot, data); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
		t.Errorf("as a snapshot: %v", err)
	}
}

// TestEveryFlippedByteIsFound flips each byte of a file in turn.
func TestEveryFlippedByteIsFound(t *testing.T) {
	good, s := file(t)
	read := func(data []byte) error {
		h, err := changelog.ReadHead("f", changelog.Changelog, data)
		if err != nil {
			return err
		}
		for _, section := range h.Sections {
			if _, err := section.Read("f", data, s); err != nil {
				return err
			}
		}
		return nil
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if i == 6 || i == 7 { // reserved
			continue
		}
		bad := append([]byte{}, good...)
		bad[i] ^= 0x10
		err := read(bad)
		want := condition.Name("VSTREAM_CORRUPT_FILE")
		if i == 4 || i == 5 {
			want = "VSTREAM_NEWER_FORMAT"
		}
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "File f ") {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for n := range good {
		if err := read(good[:n]); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if err := read(append(good, 0)); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
		t.Errorf("with a byte more: %v", err)
	}
}

func FuzzReadHead(f *testing.F) {
	data, s := file(f)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		// A right checksum lets the fuzzer get behind it.
		if len(data) > 20 {
			if n := int(binary.LittleEndian.Uint32(data[8:])); n <= len(data)-20 {
				binary.LittleEndian.PutUint64(data[12:], xxhash.Sum64(data[20:20+n]))
			}
		}
		h, err := changelog.ReadHead("f", changelog.Changelog, data)
		if err != nil {
			return
		}
		for _, section := range h.Sections {
			_, _ = section.Read("f", data, s)
		}
	})
}
