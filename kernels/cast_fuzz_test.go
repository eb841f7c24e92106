package kernels_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// FuzzCastString casts a text to every type that one casts to. The modes have to agree:
// ANSI raises where TRY_CAST gives null, and all that do not raise give one value. What
// comes out is printed and read back, and whole numbers are compared with math/big.
func FuzzCastString(f *testing.F) {
	for _, s := range []string{"12", " -7\t", "+0", "1.9", ".5", "5.", "1e3", "-1.5E-3f", "0x1.8p3", "NaN", "-Infinity", "9223372036854775808", "１２",
		"true", "no", "2024-02-29", "2024-02-30", "2024-1-2 3:4:5.6 Europe/Paris", "2024-01-01T00:00:00.123456Z", "+10000-01-01", "--5", "", "1 day 2 hours"} {
		f.Add(s)
	}
	types := []*vector.Type{
		vector.Byte, vector.Short, vector.Int, vector.Long, vector.Float, vector.Double, vector.Bool, vector.Binary, dec(10, 2), dec(38, 18),
		vector.Date, vector.Timestamp, vector.TimestampNTZ, vector.DayTime, vector.YearMonth, vector.CalendarInterval,
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, to := range types {
			value, err := castTo(t, vector.String, s, to, kernels.CastANSI, time.UTC)
			try, tryErr := castTo(t, vector.String, s, to, kernels.CastTry, time.UTC)
			if tryErr != nil {
				t.Fatalf("TRY_CAST(%q AS %s): %v", s, to, tryErr)
			}
			if err != nil && try != nil {
				t.Fatalf("CAST(%q AS %s) raises %v but TRY_CAST gives %v", s, to, err, try)
			}
			if _, err := castTo(t, vector.String, s, to, kernels.CastLegacy, time.UTC); err != nil && to.Kind != vector.KindDayTimeInterval && to.Kind != vector.KindYearMonthInterval {
				t.Fatalf("CAST(%q AS %s) without ANSI: %v", s, to, err)
			}
			if err != nil || value == nil {
				continue
			}
			if want, ok := new(big.Int).SetString(string(text.TrimBlank([]byte(s))), 10); to.Integral() && (!ok || !want.IsInt64() || want.Int64() != value) {
				t.Fatalf("CAST(%q AS %s) = %v, want %v", s, to, value, want)
			}
			comesBack(t, s, to)
		}
	})
}

// comesBack prints the value of a text and reads what was printed.
func comesBack(t *testing.T, s string, typ *vector.Type) {
	ctx := &kernels.Ctx{Zone: time.UTC, ANSI: true}
	v, err := castText(ctx, kernels.NewConst(vector.String, s).Value, typ)
	if err != nil {
		t.Fatal(err)
	}
	back, err := castText(ctx, v, typ)
	if err != nil {
		t.Fatalf("%q as %s is printed as %v: %v", s, typ, kernels.ValueAt(vector.String, v.Arr, 0), err)
	}
	if typ.Kind == vector.KindBinary {
		return // bytes that are no UTF-8 are replaced
	}
	if text, want := kernels.ValueAt(vector.String, back.Arr, 0), kernels.ValueAt(vector.String, v.Arr, 0); text != want {
		t.Fatalf("%q as %s: %v comes back as %v", s, typ, want, text)
	}
}

// castText reads a text as a type and prints it again.
func castText(ctx *kernels.Ctx, v vector.Vec, typ *vector.Type) (vector.Vec, error) {
	read := kernels.NewCast(&kernels.Const{Typ: vector.String, Value: v}, typ, kernels.CastANSI)
	return kernels.Fold(ctx, kernels.NewCast(read, vector.String, kernels.CastANSI))
}
