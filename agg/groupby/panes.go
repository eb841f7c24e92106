package groupby

import (
	"slices"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/vector"
)

// Windows repeats the partial groups of the latest sliding windows for the earlier
// windows that hold their rows, too: the rows of a pane, the time between two starts,
// are aggregated once and not once per window.
type Windows struct {
	exec.Stateless
	Start   int   // index of the column of the window's start; its end is the next one
	Windows int   // that hold a row
	Slide   int64 // microseconds from one to the next
}

// Process emits Windows batches per input batch, the latest windows first.
func (w *Windows) Process(_ int, in *vector.Batch, out exec.Emit) error {
	for back := range int64(w.Windows) {
		cols := slices.Clone(in.Columns())
		for i := w.Start; back > 0 && i <= w.Start+1; i++ {
			times := slices.Clone(vector.Values[int64](cols[i]))
			for k := range times {
				times[k] -= back * w.Slide
			}
			cols[i] = vector.NewFixed(in.Schema.Fields[i].Type, times, vector.Validity(cols[i]))
		}
		if err := out(vector.NewBatch(in.Schema, cols, in.Len())); err != nil {
			return err
		}
	}
	return nil
}
