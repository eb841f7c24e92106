// Package manifest is the log of a file sink's output directory: the folder
// _spark_metadata in the format of Spark's FileStreamSinkLog. A data file exists
// for readers once a batch's entry in the log names it; whatever else lies in
// the directory is left over from attempts that failed.
//
// Batch n's entry is the object n, or n.compact, which repeats all earlier
// entries: a line "v1", then one JSON object per file.
package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// Folder is the log's folder below the output directory.
const Folder = "_spark_metadata"

const (
	version       = "v1"
	compactSuffix = ".compact"
)

// File is one data file, in the fields of Spark's SinkFileStatus.
type File struct {
	Path             string `json:"path"` // an absolute URI
	Size             int64  `json:"size"` // bytes
	IsDir            bool   `json:"isDir"`
	ModificationTime int64  `json:"modificationTime"` // milliseconds since 1970
	BlockReplication int    `json:"blockReplication"`
	BlockSize        int64  `json:"blockSize"`
	Action           string `json:"action"` // "add" or "delete"
}

// Read lists the visible data files of the output directory s, oldest first; ok
// is false if the directory has no log, so that all of its files count.
func Read(ctx context.Context, s objstore.Store) (files []File, ok bool, err error) {
	const tries = 3 // a writer may compact the log and delete old entries meanwhile
	for try := 1; ; try++ {
		entries, err := list(ctx, s)
		if err != nil || len(entries) == 0 {
			return nil, false, err
		}
		files, err := readAll(ctx, s, entries)
		if errors.Is(err, objstore.ErrNotFound) && try < tries {
			continue
		}
		return files, err == nil, err
	}
}

// Name is the file's name below the output directory s. A file elsewhere gives
// VSTREAM_CORRUPT_FILE: the directory has been moved since it was written.
func (f File) Name(s objstore.Store) (string, error) {
	if name, ok := strings.CutPrefix(unescape(f.Path), unescape(root(s))); ok {
		return name, nil
	}
	return "", condition.New("VSTREAM_CORRUPT_FILE", "file", s.URL(Folder), "detail", "it lists "+f.Path+", which is not in this directory").
		WithHint("the log holds absolute paths: put the directory back to where it was written, or delete its %s folder to read all of its files", Folder)
}

// unescape is a URI without percent escapes, and with "file:///" for Hadoop's "file:/".
func unescape(uri string) string {
	if rest, ok := strings.CutPrefix(uri, "file:/"); ok && !strings.HasPrefix(rest, "/") {
		uri = "file:///" + rest
	}
	if u, err := url.PathUnescape(uri); err == nil {
		return u
	}
	return uri
}

// URI is the address of the object name of s as Spark writes it.
func URI(s objstore.Store, name string) string {
	return root(s) + strings.TrimPrefix((&url.URL{Path: "/" + name}).EscapedPath(), "/")
}

// root is the URL of s with a slash at the end.
func root(s objstore.Store) string {
	const probe = "p"
	return strings.TrimSuffix(s.URL(probe), probe)
}

// entry is one object of the log.
type entry struct {
	batch   int64
	compact bool
	info    objstore.Info
}

// list gives the log's entries by batch; of a batch with both forms the compact one.
func list(ctx context.Context, s objstore.Store) ([]entry, error) {
	infos, err := s.List(ctx, Folder+"/")
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, i := range infos {
		name, compact := strings.CutSuffix(strings.TrimPrefix(i.Name, Folder+"/"), compactSuffix)
		batch, err := strconv.ParseInt(name, 10, 64)
		if err != nil || batch < 0 {
			continue
		}
		out = append(out, entry{batch, compact, i})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].batch != out[j].batch {
			return out[i].batch < out[j].batch
		}
		return out[i].compact
	})
	kept := out[:0]
	for _, e := range out {
		if len(kept) == 0 || kept[len(kept)-1].batch != e.batch {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// readAll reads the newest compact entry and what follows it.
func readAll(ctx context.Context, s objstore.Store, entries []entry) ([]File, error) {
	first := 0
	for i, e := range entries {
		if e.compact {
			first = i
		}
	}
	if e := entries[first]; !e.compact && e.batch != 0 {
		return nil, missing(s, 0)
	}
	var files []File
	for i, e := range entries[first:] {
		if want := entries[first].batch + int64(i); e.batch != want {
			return nil, missing(s, want)
		}
		data, err := s.Get(ctx, e.info.Name)
		if err != nil {
			return nil, err
		}
		part, err := Decode(s.URL(e.info.Name), data)
		if err != nil {
			return nil, err
		}
		files = append(files, part...)
	}
	return withoutDeleted(files), nil
}

func missing(s objstore.Store, batch int64) error {
	return condition.New("VSTREAM_CORRUPT_FILE", "file", s.URL(Folder+"/"+strconv.FormatInt(batch, 10)),
		"detail", "this entry of the log is missing, though there are later ones")
}

func withoutDeleted(files []File) []File {
	deleted := map[string]bool{}
	for _, f := range files {
		if f.Action == "delete" {
			deleted[f.Path] = true
		}
	}
	if len(deleted) == 0 {
		return files
	}
	kept := files[:0]
	for _, f := range files {
		if !deleted[f.Path] {
			kept = append(kept, f)
		}
	}
	return kept
}

// Decode reads one entry of the log; name is for errors: VSTREAM_CORRUPT_FILE or VSTREAM_NEWER_FORMAT.
func Decode(name string, data []byte) ([]File, error) {
	head, rest, _ := bytes.Cut(data, []byte{'\n'})
	if v := string(head); v != version {
		if n, err := strconv.Atoi(strings.TrimPrefix(v, "v")); err == nil && strings.HasPrefix(v, "v") && n > 1 {
			return nil, condition.New("VSTREAM_NEWER_FORMAT", "file", name, "version", n, "supported", 1)
		}
		return nil, condition.New("VSTREAM_CORRUPT_FILE", "file", name, "detail", "the first line is not "+version)
	}
	var files []File
	for line := 2; len(rest) > 0; line++ {
		var text []byte
		text, rest, _ = bytes.Cut(rest, []byte{'\n'})
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var f File
		if err := json.Unmarshal(text, &f); err != nil || f.Path == "" {
			return nil, condition.New("VSTREAM_CORRUPT_FILE", "file", name, "detail", "line "+strconv.Itoa(line)+" is not a file's JSON object")
		}
		files = append(files, f)
	}
	return files, nil
}

// Encode writes one entry of the log.
func Encode(files []File) []byte {
	var b bytes.Buffer
	b.WriteString(version)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, f := range files {
		b.WriteByte('\n')
		if err := enc.Encode(f); err != nil {
			panic("manifest: " + err.Error()) // strings and numbers only
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
	}
	return b.Bytes()
}
