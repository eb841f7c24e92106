package text_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/text"
	"github.com/vstream/vstream/vector"
)

func lines(t testing.TB, in io.Reader, sep string) []string {
	t.Helper()
	out := []string{}
	if err := text.Lines(in, sep, true, func(b []byte) error {
		out = append(out, string(b))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLines(t *testing.T) {
	tests := []struct {
		in, sep string
		want    []string
	}{
		{"", "", []string{}},
		{"a", "", []string{"a"}},
		{"a\n", "", []string{"a"}},
		{"a\n\nb", "", []string{"a", "", "b"}},
		{"a\r\nb\rc\n\rd\r", "", []string{"a", "b", "c", "", "d"}},
		{"\xef\xbb\xbfa\n", "", []string{"a"}},
		{"a\r\n|b", "|", []string{"a\r\n", "b"}},
		{"a--b-c--", "--", []string{"a", "b-c"}},
	}
	for _, tt := range tests {
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "bytewise": iotest.OneByteReader(strings.NewReader(tt.in))} {
			if got := lines(t, in, tt.sep); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q %s: %q", tt.in, name, got)
			}
		}
	}
}

// Lines that straddle the reader's chunks, with a line end on the border.
func TestLinesAcrossChunks(t *testing.T) {
	for _, sep := range []string{"\n", "\r\n", "\r"} {
		for shift := range 3 {
			long := strings.Repeat("x", 1<<20-1+shift-len(sep))
			in := "" + long + sep + "y" + sep + long + long + sep + "z"
			if got := lines(t, strings.NewReader(in), ""); !reflect.DeepEqual(got, []string{long, "y", long + long, "z"}) {
				t.Errorf("%q %d: %d lines", sep, shift, len(got))
			}
		}
	}
}

func TestErrorsPass(t *testing.T) {
	in := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := text.Lines(in, "", true, func([]byte) error { return nil }); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := text.Lines(strings.NewReader("a\nb\n"), "", true, func([]byte) error { return stop }); err != stop {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	tests := []struct {
		o      text.Options
		column bool
		want   string
		rows   int
	}{
		{text.Options{}, true, "a||b", 3},
		{text.Options{}, false, "", 3},
		{text.Options{WholeText: true}, true, "a\n\nb\n", 1},
	}
	for _, tt := range tests {
		var got []string
		rows := 0
		err := text.Read(strings.NewReader("a\n\nb\n"), true, tt.o, tt.column, func(cols []arrow.Array, n int) error {
			rows += n
			for _, c := range cols {
				off, data := vector.Strings(c)
				for i := range n {
					got = append(got, string(data[off[i]:off[i+1]]))
				}
			}
			return nil
		})
		if err != nil || rows != tt.rows || strings.Join(got, "|") != tt.want {
			t.Errorf("%+v: %q %d %v", tt, got, rows, err)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\nb\rc\n\n", "")
	f.Add("a--b-c", "--")
	f.Fuzz(func(t *testing.T, in, sep string) {
		whole := lines(t, strings.NewReader(in), sep)
		if got := lines(t, iotest.OneByteReader(strings.NewReader(in)), sep); !reflect.DeepEqual(got, whole) {
			t.Fatalf("%q %q", got, whole)
		}
		if sep != "" {
			return
		}
		plain := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(in, "\xef\xbb\xbf"))
		if want := strings.TrimSuffix(plain, "\n"); strings.Join(whole, "\n") != want {
			t.Fatalf("%q, want %q", whole, want)
		}
	})
}
