package statestore

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
)

// MemoryBudget is the setting of the memory that the tables of all stateful operators of the
// process may take together, where they have a tier to give rows to.
const MemoryBudget = "vstream.state.memoryBudget"

// minBudget is the smallest budget that can be set.
const minBudget = 1 << 12

// process is the state memory of this process.
var process struct {
	mu     sync.Mutex
	limits []int64 // of the open budgets
	limit  atomic.Int64
	used   atomic.Int64
}

// Budget is one query's part in the process's memory budget. The smallest of the settings of all
// running queries holds for the process.
type Budget struct {
	limit    int64
	accounts []*Account
}

// OpenBudget reads vstream.state.memoryBudget (a size such as 512MB); unset, it is
// half of the machine's memory. Close ends it.
func OpenBudget(conf map[string]string) (*Budget, error) {
	limit := machineMemory() / 2
	if v := conf[MemoryBudget]; v != "" {
		n, ok := text.ParseBytes(v)
		if !ok || n < minBudget {
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", MemoryBudget, "value", v, "expected", "a size of at least 4KB, such as 512MB")
		}
		limit = n
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	process.limits = append(process.limits, limit)
	process.limit.Store(slices.Min(process.limits))
	return &Budget{limit: limit}, nil
}

// Limit is the budget in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Close ends the query's part and all its accounts.
func (b *Budget) Close() {
	process.mu.Lock()
	defer process.mu.Unlock()
	for _, a := range b.accounts {
		process.used.Add(-a.bytes)
	}
	b.accounts = nil
	if i := slices.Index(process.limits, b.limit); i >= 0 {
		process.limits = slices.Delete(process.limits, i, i+1)
	}
	if len(process.limits) > 0 {
		process.limit.Store(slices.Min(process.limits))
	}
}

// Account opens an account for one operator instance.
func (b *Budget) Account() *Account {
	process.mu.Lock()
	defer process.mu.Unlock()
	a := &Account{fixed: -1}
	b.accounts = append(b.accounts, a)
	return a
}

// Account is the memory that one operator instance takes for its tables. It is used by
// one goroutine at a time, and not after the budget is closed.
type Account struct {
	bytes int64
	fixed int64 // what it may keep, if it is not of a budget; -1: it is
}

// FixedAccount is an account that may always keep so much, for tests of operators.
func FixedAccount(keep int64) *Account { return &Account{fixed: keep} }

// tableShare of the budget is for the operators' tables; the rest is the tier's, for its
// block cache, filters and write buffers.
const tableShare = 0.75

// Set says how much memory the instance takes now, and how much it may keep: less than that if
// the process is over its budget, so that there is some time until it is over it again.
func (a *Account) Set(bytes int64) (keep int64) {
	if a.fixed >= 0 {
		return a.fixed
	}
	used := process.used.Add(bytes - a.bytes)
	a.bytes = bytes
	limit := int64(tableShare * float64(process.limit.Load()))
	if used <= limit || used <= 0 {
		return math.MaxInt64
	}
	return int64(float64(bytes) * float64(limit) / 2 / float64(used))
}

// defaultMemory stands for the machine's memory where it is not known.
const defaultMemory = 2 << 30
