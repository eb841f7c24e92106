// Package drivers registers all sources, sinks, state stores and object stores that
// need no C library. Import it for its effect:
//
//	import _ "github.com/vstream/vstream/drivers"
package drivers

import (
	_ "github.com/vstream/vstream/objstore/local"
	_ "github.com/vstream/vstream/sink/console"
	_ "github.com/vstream/vstream/sink/file"
	_ "github.com/vstream/vstream/sink/memory"
	_ "github.com/vstream/vstream/sink/noop"
	_ "github.com/vstream/vstream/source/file"
	_ "github.com/vstream/vstream/source/rate"
	_ "github.com/vstream/vstream/source/ratemicrobatch"
	_ "github.com/vstream/vstream/source/state"
	_ "github.com/vstream/vstream/statestore/memory"
)
