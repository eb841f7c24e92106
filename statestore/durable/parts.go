package durable

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// parts are temporary files in which the changes of many versions are divided by the slices of a
// snapshot, so that the snapshot can be written slice by slice.
type parts struct {
	schema  statestore.Schema
	files   []*os.File
	writers []*bufio.Writer
}

// newParts makes the files of n slices in a folder; "" is the system's.
func newParts(folder string, schema statestore.Schema, n int) (p *parts, err error) {
	p = &parts{schema: schema}
	for range n {
		f, err := os.CreateTemp(folder, "vstream-snapshot-")
		if err != nil {
			p.close()
			return nil, condition.IO(err, "create", folder)
		}
		os.Remove(f.Name()) // it goes with the process; where that cannot be, close removes it
		p.files = append(p.files, f)
		p.writers = append(p.writers, bufio.NewWriterSize(f, 1<<16))
	}
	return p, nil
}

func (p *parts) close() {
	for _, f := range p.files {
		f.Close()
		os.Remove(f.Name())
	}
}

// add divides the changes of a version.
func (p *parts) add(c *statestore.Changes) error {
	for i, slice := range split(p.schema, c, len(p.files)) {
		if empty(slice) {
			continue
		}
		data, err := changelog.EncodeSection(binary.LittleEndian.AppendUint64(nil, 0), p.schema, slice)
		if err != nil {
			return internal("slice of a state snapshot: %v", err)
		}
		binary.LittleEndian.PutUint64(data, uint64(len(data)-8))
		if _, err := p.writers[i].Write(data); err != nil {
			return condition.IO(err, "write", p.files[i].Name())
		}
	}
	return nil
}

// read gives what was added of slice i, version after version.
func (p *parts) read(i int, fn statestore.Loader) error {
	f := p.files[i]
	err := p.writers[i].Flush()
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return condition.IO(err, "read", f.Name())
	}
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		var length [8]byte
		if _, err := io.ReadFull(r, length[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return condition.IO(err, "read", f.Name())
		}
		data := make([]byte, binary.LittleEndian.Uint64(length[:]))
		if _, err := io.ReadFull(r, data); err != nil {
			return condition.IO(err, "read", f.Name())
		}
		c, err := changelog.DecodeSection(data, p.schema)
		if err != nil {
			return changelog.Corrupt(f.Name(), err)
		}
		if err := fn(c); err != nil {
			return err
		}
	}
}
