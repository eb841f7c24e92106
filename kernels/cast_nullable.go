package kernels

import "github.com/vstream/vstream/vector"

// MayBecomeNull tells whether a cast of a non-null value may give null in a mode.
func MayBecomeNull(from, to *vector.Type, mode CastMode) bool { return mayBecomeNull(from, to, mode) }
