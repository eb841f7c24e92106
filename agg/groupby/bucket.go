package groupby

import (
	"cmp"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/vector"
)

// mergeRows is how many rows are merged together: few enough for the rows' and
// the groups' states to stay in the cache between the aggregates.
const mergeRows = 4096

// span identifies a bucket: the window's start and end, or the first and last
// microsecond of a plain event time's bucket. The bucket of null event times and of
// groupings without eviction is forever.
type span struct{ lo, hi int64 }

// bucket holds the groups of one span: eviction drops the whole of it.
type bucket struct {
	span
	table  *vector.GroupTable
	states *agg.States
	// dirty are the groups changed in the current micro-batch, in order.
	dirty []uint32
	// batch and part are the number of the last input batch that has rows of the
	// bucket, and its place among that batch's parts.
	batch uint64
	part  int
	cold  cold
}

// compareBuckets is the order of output: by end, then by start.
func compareBuckets(a, b *bucket) int {
	return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))
}

func newBucket(s span, keys []*vector.Type, impls []*agg.Impl) *bucket {
	return &bucket{span: s, table: vector.NewGroupTable(keys), states: agg.NewStates(impls)}
}

func (b *bucket) free() {
	b.table.Free()
	b.states.Free()
}

func (b *bucket) bytes() int { return b.table.Bytes() + b.states.Bytes() }

// groups is the number of groups, in memory and in the tier.
func (b *bucket) groups() int { return b.table.Len() + b.cold.alone() }

// merge folds rows of keys and states in and marks their groups as changed in
// the epoch; epoch 0 marks nothing and replaces states instead (recovery). gid are the groups of
// the rows if they are known already, and room for some of them otherwise.
func (b *bucket) merge(impls []*agg.Impl, keys, states []arrow.Array, n int, epoch uint32, gid []uint32, known bool) error {
	for lo := 0; lo < n; lo += mergeRows {
		hi := min(lo+mergeRows, n)
		s := slice(states, lo, hi)
		before := b.table.Len()
		g := gid[:hi-lo]
		if known {
			g = gid[lo:hi]
		} else {
			b.table.Find(slice(keys, lo, hi), g)
			b.states.Grow(b.table.Len())
		}
		if epoch == 0 {
			for _, x := range g {
				if int(x) < before {
					b.states.Reset(x)
				}
			}
		} else {
			b.dirty = b.states.Touch(g, epoch, b.dirty)
		}
		fold := b.states.Merge
		if epoch == 0 {
			fold = b.states.Restore
		}
		for i, im := range impls {
			w := len(im.State)
			if err := fold(i, g, s[:w]); err != nil {
				return err
			}
			s = s[w:]
		}
	}
	return nil
}

func slice(cols []arrow.Array, lo, hi int) []arrow.Array {
	if len(cols) == 0 || lo == 0 && hi == cols[0].Len() {
		return cols
	}
	out := make([]arrow.Array, len(cols))
	for i, c := range cols {
		out[i] = vector.SliceArray(c, lo, hi)
	}
	return out
}

// keep reduces the bucket to some groups, in the order given, which get new ids.
func (b *bucket) keep(keys []*vector.Type, impls []*agg.Impl, groups []uint32) error {
	newID := make([]uint32, b.table.Len()) // +1; 0 is a group that goes
	for i, g := range groups {
		newID[g] = uint32(i) + 1
	}
	fresh := newBucket(b.span, keys, impls)
	gid := make([]uint32, len(groups))
	fresh.table.Find(b.table.Columns(groups), gid)
	fresh.states.Grow(len(groups))
	for i := range impls {
		if len(groups) == 0 {
			break // there is no memory to point into
		}
		if err := fresh.states.Restore(i, gid, b.states.Export(i, groups)); err != nil {
			return err
		}
	}
	for _, g := range b.dirty {
		if id := newID[g]; id > 0 {
			fresh.dirty = append(fresh.dirty, id-1)
		}
	}
	fresh.batch, fresh.part, fresh.cold = b.batch, b.part, b.cold.keep(groups)
	b.free()
	*b = *fresh
	return nil
}

// buckets are the live buckets of one operator.
type buckets struct {
	by     map[span]*bucket
	order  []*bucket // sorted when sorted is true
	sorted bool
	recent [64]*bucket // by hash of the span's end, for rows that come interleaved
}

func newBuckets() *buckets { return &buckets{by: map[span]*bucket{}, sorted: true} }

// get finds or makes a bucket.
func (b *buckets) get(s span, keys []*vector.Type, impls []*agg.Impl) *bucket {
	slot := &b.recent[uint64(s.hi)*0x9E3779B97F4A7C15>>58]
	if *slot != nil && (*slot).span == s {
		return *slot
	}
	x := b.by[s]
	if x == nil {
		x = newBucket(s, keys, impls)
		b.by[s] = x
		b.order = append(b.order, x)
		b.sorted = false
	}
	*slot = x
	return x
}

// all is every bucket in order.
func (b *buckets) all() []*bucket {
	if !b.sorted {
		slices.SortFunc(b.order, compareBuckets)
		b.sorted = true
	}
	return b.order
}

// removeFirst forgets the first n buckets in order.
func (b *buckets) removeFirst(n int) {
	for _, x := range b.order[:n] {
		delete(b.by, x.span)
		x.free()
	}
	b.order = append(b.order[:0:0], b.order[n:]...)
	b.recent = [64]*bucket{}
}
