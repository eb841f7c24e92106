package file

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

const (
	// maxBuffered bounds what a task holds of its unfinished data files, in bytes.
	// A file that reaches it is finished and the next one begun.
	maxBuffered = 256 << 20
	// maxOpen bounds the number of a task's unfinished data files, one per partition directory.
	maxOpen = 256
	// blockSize is what Spark enters for local files.
	blockSize = 32 << 20
)

// dataFile is a data file in memory. It goes to the store in one piece.
type dataFile struct {
	buf  bytes.Buffer
	out  io.WriteCloser // compresses into buf
	rows rowWriter
	n    int64 // rows
}

// partitionWriter writes the data files of one task.
type partitionWriter struct {
	ctx   context.Context
	batch *batchWriter
	name  string // part-00000-<uuid>
	open  map[string]*dataFile
	order []string // the keys of open, oldest first
	next  int      // number of the next file
	done  files
	dirs  directories
}

// Write adds rows.
func (p *partitionWriter) Write(b *vector.Batch) error {
	layout := &p.batch.layout
	if len(layout.partition) == 0 {
		return p.write("", b)
	}
	for _, g := range p.dirs.split(b, layout, p.batch.sink.style) {
		if err := p.write(g.dir, b.Select(g.rows).Project(layout.data, layout.dataCols)); err != nil {
			return err
		}
	}
	return nil
}

func (p *partitionWriter) write(dir string, b *vector.Batch) error {
	limit := p.batch.sink.maxRecords
	for lo := 0; lo < b.Len(); {
		f, err := p.file(dir)
		if err != nil {
			return err
		}
		hi := b.Len()
		if limit > 0 {
			hi = min(hi, lo+int(limit-f.n))
		}
		if err := f.rows.Write(b.Slice(lo, hi)); err != nil {
			return err
		}
		f.n += int64(hi - lo)
		lo = hi
		if limit > 0 && f.n >= limit || p.buffered() >= maxBuffered {
			if err := p.closeAll(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *partitionWriter) buffered() int {
	n := 0
	for _, f := range p.open {
		n += f.buf.Len()
	}
	return n
}

// file is the unfinished data file of a directory.
func (p *partitionWriter) file(dir string) (*dataFile, error) {
	if f := p.open[dir]; f != nil {
		return f, nil
	}
	if len(p.open) >= maxOpen {
		if err := p.closeAll(); err != nil {
			return nil, err
		}
	}
	format := p.batch.sink.format
	f := &dataFile{}
	out, err := format.compress(&f.buf)
	if err != nil {
		return nil, err
	}
	f.out = out
	if f.rows, err = format.newWriter(out, p.batch.layout.data); err != nil {
		return nil, err
	}
	p.open[dir] = f
	p.order = append(p.order, dir)
	return f, nil
}

// closeAll writes all unfinished data files to the store.
func (p *partitionWriter) closeAll() error {
	for _, dir := range p.order {
		if err := p.close(dir, p.open[dir]); err != nil {
			return err
		}
	}
	clear(p.open)
	p.order = p.order[:0]
	return nil
}

func (p *partitionWriter) close(dir string, f *dataFile) error {
	if err := f.rows.Close(); err != nil {
		return err
	}
	if err := f.out.Close(); err != nil {
		return err
	}
	s, sep := p.batch.sink, "-"
	if dir != "" {
		sep = "." // Spark's names differ so
	}
	name := fmt.Sprintf("%s%s%sc%03d%s", dir, p.name, sep, p.next, s.format.extension)
	p.next++
	p.batch.mu.Lock()
	p.batch.written = append(p.batch.written, name)
	p.batch.mu.Unlock()
	if err := s.store.Put(p.ctx, name, f.buf.Bytes()); err != nil {
		return err
	}
	p.done = append(p.done, manifest.File{
		Path: manifest.URI(s.store, name), Size: int64(f.buf.Len()), ModificationTime: s.now().UnixMilli(),
		BlockReplication: 1, BlockSize: blockSize, Action: "add",
	})
	return nil
}

// Finish makes the data files durable.
func (p *partitionWriter) Finish() (sink.Message, error) {
	if err := p.closeAll(); err != nil {
		return nil, err
	}
	return p.done, nil
}

// Abort forgets the unfinished data files; the batch's Abort deletes the others.
func (p *partitionWriter) Abort() error {
	p.open, p.order = nil, nil
	return nil
}
