package statestore

// Tiered is implemented by stores with a capacity tier.
type Tiered interface {
	// Tier is the tier of this store; it ends with the store.
	Tier() Tier
}

// Tier is the capacity tier beneath the operators' tables: it takes rows that they
// give away when the memory budget is used up, and gives them back in bulk. It is scratch
// space, not durable, and empty at the start: what the checkpoint holds is loaded into the
// operators, which give away again what does not fit. Its methods may be called concurrently.
type Tier interface {
	// Table makes an empty table. The order column of s, if there is one, is what Range speaks of.
	Table(s Schema) (TierTable, error)
	// Account opens an account of the memory budget for one operator instance.
	Account() *Account
}

// TierTable is one table of a tier, used by one goroutine at a time. A row of a table is
// replaced by a later one with the same key. A key occurs at most once in a block.
// All blocks that it takes may be used again after the call, and those that it gives are the caller's.
type TierTable interface {
	// Write puts rows: key columns, then value columns.
	Write(b Block) error
	// Get looks keys up; rows says, in ascending order, which of them were found, and values
	// holds their value columns in that order.
	Get(keys Block) (rows []uint32, values Block, err error)
	// Delete removes keys, whether they are there or not.
	Delete(keys Block) error
	// DeleteRange removes the rows of a range.
	DeleteRange(r Range) error
	// Scan gives the rows of a range, as they are when it begins, in blocks of bounded size, and by their order
	// column if there is one, nulls last. The table may be changed meanwhile.
	Scan(r Range, fn func(b Block) error) error
}

// Range selects rows by their order column: all rows; or those whose order is null; or
// those from Lo to Hi, both included.
type Range struct {
	Kind   RangeKind
	Lo, Hi int64
}

// RangeKind is the kind of a Range.
type RangeKind uint8

// The kinds of ranges.
const (
	AllRows RangeKind = iota
	NullOrder
	Between
)
