package file

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/vstream/vstream/condition"
)

// localPath takes a path or a file URL and gives the path.
func localPath(s string) (string, error) {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || strings.Contains(scheme, "/") || len(scheme) < 2 {
		return s, nil
	}
	if scheme != "file" {
		return "", condition.New("VSTREAM_UNKNOWN_SCHEME", "scheme", scheme, "url", s, "known", "file")
	}
	// file:/a and file:///a are the same; file://host/a is not local.
	if strings.HasPrefix(rest, "//") {
		if rest = rest[2:]; !strings.HasPrefix(rest, "/") {
			return "", condition.New("VSTREAM_UNKNOWN_SCHEME", "scheme", "file with a host", "url", s, "known", "file")
		}
	}
	return rest, nil
}

// fileURL is the URL of an absolute path as Spark writes it, with the
// characters escaped that Java's URI escapes: file:///data/a%20b.csv.
func fileURL(p string) string {
	const legal = "/-_.!~*'(),;:$&+=@"
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(p)+8)
	b = append(b, "file://"...)
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(legal, c) >= 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// pathOfURL is the inverse of fileURL; it takes file:/a too.
func pathOfURL(u string) (string, error) {
	p, err := localPath(u)
	if err != nil {
		return "", err
	}
	p, err = url.PathUnescape(p)
	if err != nil || !filepath.IsAbs(p) {
		return "", condition.New("VSTREAM_CORRUPT_FILE", "file", "of the source's log", "detail", "not a file URL: "+u)
	}
	return p, nil
}
