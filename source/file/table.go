package file

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"sort"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// openTable checks the options and finds the schema of a stream or a static table.
func openTable(ctx context.Context, f *format, c source.Context, o source.Options, schema *vector.Schema, streaming bool) (*tableFormat, lister, error) {
	opts, err := parseOptions(o, c.Conf)
	if err != nil {
		return nil, lister{}, err
	}
	root, err := rootOf(c, opts.path)
	if err != nil {
		return nil, lister{}, err
	}
	if opts.archiveDir != "" {
		if opts.archiveDir, err = rootOf(c, opts.archiveDir); err != nil {
			return nil, lister{}, err
		}
		if strings.HasPrefix(opts.archiveDir+"/", strings.TrimSuffix(root, "/")+"/") {
			return nil, lister{}, condition.New("VSTREAM_INVALID_OPTION", "option", "sourceArchiveDir", "value", opts.archiveDir, "expected", "a directory outside the source's path")
		}
	}
	l := lister{root: root, recursive: opts.recursive, globFilter: opts.globFilter}
	if !exists(root) && !(isGlob(root) && streaming) {
		if found, _ := expand(root); len(found) == 0 {
			return nil, l, condition.New("PATH_NOT_FOUND", "path", root)
		}
	}
	if info, err := os.Stat(root); err == nil && info.IsDir() {
		if _, err := os.ReadDir(root); err != nil {
			return nil, l, ioError("list", root, err)
		}
	}
	t := &tableFormat{format: f, env: newEnv(c, o), opts: opts}
	if schema == nil {
		if streaming && f.schema == nil && !isTrue(c.Conf["spark.sql.streaming.schemaInference"]) {
			return nil, l, condition.New("_LEGACY_ERROR_TEMP_2048").WithHint(
				"give source %s a schema, or set spark.sql.streaming.schemaInference to true", c.Name)
		}
		if schema, err = t.infer(ctx, l); err != nil {
			return nil, l, err
		}
	}
	t.schema = nullable(schema)
	files, err := l.partitioned(ctx)
	if err != nil {
		return nil, l, err
	}
	t.findPartitions(files)
	return t, l, f.check(t.data, t.env)
}

// infer reads the schema from the files.
func (t *tableFormat) infer(ctx context.Context, l lister) (*vector.Schema, error) {
	if t.format.schema != nil {
		return t.format.schema, nil
	}
	files, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	var s *vector.Schema
	if t.format.infer != nil && len(files) > 0 {
		if s, err = t.format.infer(ctx, files, t.env); err != nil {
			return nil, err
		}
	}
	if s == nil || len(s.Fields) == 0 {
		return nil, condition.New("UNABLE_TO_INFER_SCHEMA", "format", strings.ToUpper(t.format.name))
	}
	return s, nil
}

// nullable is the schema with all columns nullable, since files may lack values.
func nullable(s *vector.Schema) *vector.Schema {
	out := &vector.Schema{Fields: append([]vector.Field(nil), s.Fields...)}
	for i := range out.Fields {
		out.Fields[i].Nullable = true
	}
	return out
}

// partitioned gives a file below a partition directory, if there is one.
func (l lister) partitioned(ctx context.Context) ([]entry, error) {
	children, err := os.ReadDir(l.root)
	if err != nil {
		return nil, nil // a file or a glob
	}
	for _, c := range children {
		if c.IsDir() && strings.Contains(c.Name(), "=") && !hidden(c.Name()) {
			return l.list(ctx)
		}
	}
	return nil, nil
}

// findPartitions tells the columns whose values are in directory names from those of the files.
func (t *tableFormat) findPartitions(files []entry) {
	var values map[string]string
	if len(files) > 0 {
		values = partitionValues(files[0].path)
	}
	t.data = &vector.Schema{}
	t.cols = make([]outColumn, len(t.schema.Fields))
	for i, f := range t.schema.Fields {
		key := strings.ToLower(f.Name)
		if _, ok := values[key]; ok {
			t.cols[i] = outColumn{data: -1, partition: key}
			continue
		}
		t.cols[i] = outColumn{data: len(t.data.Fields)}
		t.data.Fields = append(t.data.Fields, f)
	}
}

// stat is a logged file as it is now; a missing one is found when it is read.
func stat(path string, modified int64) entry {
	e := entry{path: path, modified: modified}
	if info, err := os.Stat(path); err == nil {
		e.size = info.Size()
	}
	return e
}

// table is a static table of files.
type table struct {
	*tableFormat
	lister lister
}

func openBatch(ctx context.Context, f *format, c source.Context, o source.Options, schema *vector.Schema) (source.Batch, error) {
	t, l, err := openTable(ctx, f, c, o, schema, false)
	if err != nil {
		return nil, err
	}
	return &table{t, l}, nil
}

// Schema is the user's or the inferred schema, all columns nullable.
func (t *table) Schema() *vector.Schema { return t.schema }

// HiddenColumns is the struct _metadata.
func (t *table) HiddenColumns() []vector.Field { return []vector.Field{metadataField} }

// Plan lists the files and cuts them into splits, the oldest files first: what a
// query has written comes in the order in which it was written.
func (t *table) Plan(ctx context.Context, p source.Pushdown) ([]source.Split, error) {
	files, err := t.lister.list(ctx)
	if err != nil {
		return nil, err
	}
	sort.SliceStable(files, func(i, j int) bool { return files[i].modified < files[j].modified })
	return t.scan(p).splits(ctx, files)
}

// Version changes with the names, sizes and times of the files.
func (t *table) Version(ctx context.Context) (string, error) {
	files, err := t.lister.list(ctx)
	if err != nil {
		return "", err
	}
	h := fnv.New128a()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%d\x00%d\x00", f.path, f.size, f.modified)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
