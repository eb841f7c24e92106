package objstore

import (
	"context"
	"net/url"
	"sort"
	"strings"
	"sync"

	"github.com/vstream/vstream/condition"
)

// Opener opens the store at a URL of the scheme under which it is registered.
type Opener func(ctx context.Context, u *url.URL) (Store, error)

var (
	schemesMu sync.RWMutex
	schemes   = map[string]Opener{}
)

// RegisterScheme makes Open know a URL scheme; the packages below objstore call it
// on import. A duplicate is a bug and panics.
func RegisterScheme(scheme string, open Opener) {
	schemesMu.Lock()
	defer schemesMu.Unlock()
	if schemes[scheme] != nil {
		panic("objstore: scheme registered twice: " + scheme)
	}
	schemes[scheme] = open
}

// Open opens the store at a URL ("file:///data/ckpt", "s3://bucket/ckpt") or at a plain
// path of the local file system. It fails with VSTREAM_UNKNOWN_SCHEME if the package
// of the scheme's store is not part of the program.
func Open(ctx context.Context, urlOrPath string) (Store, error) {
	u := &url.URL{Scheme: "file", Path: urlOrPath}
	if scheme := schemeOf(urlOrPath); scheme != "" {
		var err error
		if u, err = url.Parse(urlOrPath); err != nil {
			return nil, condition.IO(err, "open", urlOrPath)
		}
	}
	schemesMu.RLock()
	open := schemes[u.Scheme]
	known := make([]string, 0, len(schemes))
	for s := range schemes {
		known = append(known, s)
	}
	schemesMu.RUnlock()
	if open == nil {
		sort.Strings(known)
		return nil, condition.New("VSTREAM_UNKNOWN_SCHEME", "url", urlOrPath, "scheme", u.Scheme, "known", strings.Join(known, ", "))
	}
	return open(ctx, u)
}

// schemeOf is the URL scheme of s or "" for a plain path. A scheme has at least two
// characters, so that a drive letter is none.
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || len(scheme) < 2 {
		return ""
	}
	for i, c := range []byte(strings.ToLower(scheme)) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return ""
		}
	}
	return strings.ToLower(scheme)
}
