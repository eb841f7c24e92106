package objstore

import "context"

// LockedError is returned by Lock when another holder has the lock.
type LockedError struct{ Holder string }

func (e *LockedError) Error() string { return "locked by " + e.Holder }

// Locker is a Store that can keep others out while its holder lives. The lock goes
// away with the process, however it ends. It is a courtesy that reports a second
// writer at once; correctness rests on CreateExclusive alone.
type Locker interface {
	// Lock takes the lock of the name or fails at once with a *LockedError.
	Lock(ctx context.Context, name string) (release func() error, err error)
}

// Lock takes the lock if the store has locks, and nothing otherwise.
func Lock(ctx context.Context, s Store, name string) (release func() error, err error) {
	if l, ok := s.(Locker); ok {
		return l.Lock(ctx, name)
	}
	return func() error { return nil }, nil
}
