package exec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// The reasons for which a stateful operator does not take a row.
const (
	// ReasonLate: the watermark of the batch before had passed the row's time.
	ReasonLate = "late"
	// ReasonNoTime: the event time is null, so that the row is in no window.
	ReasonNoTime = "null_event_time"
)

// LostSchema are the columns of a late sink. One schema serves all operators of a query, so
// the row itself, with the columns that its operator reads, is a JSON object.
//
//	batch_id     BIGINT     the micro-batch
//	operator_id  BIGINT     the stateful operator, numbered as in the checkpoint
//	operator     STRING     its name in progress events
//	reason       STRING     late or null_event_time
//	event_time   TIMESTAMP  what was compared with the watermark; of a window its end
//	watermark    TIMESTAMP  what it was compared with; null if the query has none
//	row          STRING     the row as JSON, with nulls and microseconds
var LostSchema = vector.NewSchema(
	vector.Field{Name: "batch_id", Type: vector.Long},
	vector.Field{Name: "operator_id", Type: vector.Long},
	vector.Field{Name: "operator", Type: vector.String},
	vector.Field{Name: "reason", Type: vector.String},
	vector.Field{Name: "event_time", Type: vector.Timestamp, Nullable: true},
	vector.Field{Name: "watermark", Type: vector.Timestamp, Nullable: true},
	vector.Field{Name: "row", Type: vector.String},
)

// lost hands rows that a stateful operator does not take to the late sink. A chain has one.
type lost struct {
	open   func() (Writer, error)
	writer Writer // nil until there is a row
	rows   int64
}

// lost is what hands dropped rows of an instance to the late sink; nil if there is none.
func (x *run) lost(slot int) *lost {
	if x.batch.Late == nil {
		return nil
	}
	return &lost{open: func() (Writer, error) {
		w, err := x.batch.Late(slot)
		if err == nil {
			x.mu.Lock()
			x.writers = append(x.writers, w)
			x.mu.Unlock()
		}
		return w, err
	}}
}

func (x *run) close(l *lost) error {
	if l == nil || l.writer == nil {
		return nil
	}
	if err := l.writer.Close(); err != nil {
		return err
	}
	x.mu.Lock()
	x.result.LostRows += l.rows
	x.mu.Unlock()
	return nil
}

// write adds rows; times are what was compared with the watermark, nil for nulls.
func (l *lost) write(t *Task, op *OpSpec, reason string, times arrow.Array, rows *vector.Batch) (err error) {
	n := rows.Len()
	if n == 0 {
		return nil
	}
	if l.writer == nil {
		if l.writer, err = l.open(); err != nil {
			return err
		}
	}
	if times == nil {
		times = vector.NewNull(vector.Timestamp, n)
	}
	passed := vector.NewNull(vector.Timestamp, n)
	if t.Watermark.Set {
		passed = vector.NewFixed(vector.Timestamp, repeat(watermark.Micros(t.Watermark.Late), n), nil)
	}
	asJSON, err := rowsAsJSON(t.Kernel, rows)
	if err != nil {
		return err
	}
	l.rows += int64(n)
	return l.writer.Write(vector.NewBatch(LostSchema, []arrow.Array{
		vector.NewFixed(vector.Long, repeat(t.BatchID, n), nil),
		vector.NewFixed(vector.Long, repeat(int64(op.ID), n), nil),
		texts(n, func(dst []byte, _ int) []byte { return append(dst, op.Name...) }),
		texts(n, func(dst []byte, _ int) []byte { return append(dst, reason...) }),
		times, passed, asJSON,
	}, n))
}

// lostOptions are the options of the JSON in which rows lose nothing: by default Spark's JSON
// leaves nulls out and cuts times off after milliseconds.
var lostOptions = map[string]string{
	"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}

// rowsAsJSON is a column with each row as a JSON object.
func rowsAsJSON(ctx *kernels.Ctx, rows *vector.Batch) (arrow.Array, error) {
	o, err := json.ParseWriteOptions(lostOptions, ctx.Zone)
	if err != nil {
		return nil, err
	}
	t := vector.StructOf(rows.Schema.Fields...)
	w := json.NewWriter(t, vector.NewStruct(t, rows.Columns(), rows.Len(), nil), o)
	return texts(rows.Len(), w.Append), nil
}

func texts(n int, value func(dst []byte, i int) []byte) arrow.Array {
	off, data := make([]int32, n+1), []byte(nil)
	for i := range n {
		data = value(data, i)
		off[i+1] = int32(len(data))
	}
	return vector.NewString(vector.String, off, data, nil)
}

func repeat(v int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// CopyLate copies the rows that the stateful operator above it is going to drop as late
// to the late sink. It stands before that operator's exchange, where rows are still whole.
type CopyLate struct {
	Stateless
	Time kernels.Expr // timestamps in microseconds, as the operator compares them
}

// Process passes the batch on.
func (c *CopyLate) Process(_ int, in *vector.Batch, out Emit) error {
	t := c.Task
	if t.Lose == nil || !t.Watermark.Set {
		return out(in)
	}
	v, err := c.Time.Eval(t.Kernel, in)
	if err != nil {
		return err
	}
	times := v.Dense(in.Len())
	ts, valid, bound := vector.Values[int64](times), vector.Validity(times), watermark.Micros(t.Watermark.Late)
	var late []uint32
	for i, x := range ts {
		if x <= bound && valid.Get(i) {
			late = append(late, uint32(i))
		}
	}
	if len(late) > 0 {
		if err := t.Lose(ReasonLate, vector.Take(times, late), in.Select(late)); err != nil {
			return err
		}
	}
	return out(in)
}

// NeedTime drops and counts the rows without a time, which are in no window.
type NeedTime struct {
	Stateless
	Time kernels.Expr
}

// Process passes on the rows that have a time.
func (d *NeedTime) Process(_ int, in *vector.Batch, out Emit) error {
	v, err := d.Time.Eval(d.Task.Kernel, in)
	if err != nil {
		return err
	}
	valid := vector.Validity(v.Arr)
	if valid == nil {
		return out(in)
	}
	mask := v.Mask()
	var with, without []uint32
	for i := range in.Len() {
		if valid.Get(i & mask) {
			with = append(with, uint32(i))
		} else {
			without = append(without, uint32(i))
		}
	}
	if len(without) == 0 {
		return out(in)
	}
	d.Task.Metrics.NullTimeRows += int64(len(without))
	if d.Task.Lose != nil {
		if err := d.Task.Lose(ReasonNoTime, nil, in.Select(without)); err != nil {
			return err
		}
	}
	if len(with) == 0 {
		return nil
	}
	return out(in.Select(with))
}
