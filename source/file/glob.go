package file

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// isGlob tells whether a path has characters that Hadoop's globs give a meaning.
func isGlob(p string) bool { return strings.ContainsAny(p, `*?[]{}\`) }

// expand gives the existing paths that match a glob, sorted. *, ? and […] match
// within one component, {a,b} is either.
func expand(p string) ([]string, error) {
	found := map[string]bool{}
	for _, alt := range braces(p) {
		matches, err := filepath.Glob(alt)
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			if !hidden(filepath.Base(m)) {
				found[m] = true
			}
		}
	}
	out := make([]string, 0, len(found))
	for m := range found {
		out = append(out, m)
	}
	sort.Strings(out)
	return out, nil
}

// braces expands the alternatives in braces, which may be nested.
func braces(p string) []string {
	open := strings.IndexByte(p, '{')
	if open < 0 {
		return []string{p}
	}
	depth, from := 0, open+1
	var alts []string
	for i := open; i < len(p); i++ {
		switch p[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				alts = append(alts, p[from:i])
				from = i + 1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			alts = append(alts, p[from:i])
			var out []string
			for _, a := range alts {
				out = append(out, braces(p[:open]+a+p[i+1:])...)
			}
			return out
		}
	}
	return []string{p}
}

// hidden tells whether Spark's listing leaves out a name.
func hidden(name string) bool {
	return strings.HasPrefix(name, "_") && !strings.Contains(name, "=") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "._COPYING_")
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}
