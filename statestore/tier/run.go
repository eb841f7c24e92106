package tier

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/vstream/vstream/condition"
)

// A file is a sequence of blocks: rows, and the CRC-32C of their bytes. Rows whose keys have the same hash are
// in one block, which may be larger than blockBytes for it.
const (
	blockBytes = 4 << 10
	crcBytes   = 4
	writeBytes = 1 << 20 // that are written at once
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// run is a file and what is known of it in memory.
type run struct {
	space  *Space
	file   *os.File
	first  []uint64 // hash of each block's first row
	off    []int64  // where each block begins, and the last one ends
	rows   int
	filter filter
	users  int // tables and scans
}

// bytes is the size of the file.
func (r *run) bytes() int64 { return r.off[len(r.off)-1] }

// drop removes the file if nobody uses it any more.
func (r *run) drop() error {
	if r.users--; r.users > 0 {
		return nil
	}
	r.space.release(r.filter)
	path := r.file.Name()
	err := errors.Join(r.file.Close(), os.Remove(path))
	return condition.IO(err, "remove", path)
}

// read fills buf from a place in the file.
func (r *run) read(buf []byte, at int64) error {
	_, err := r.file.ReadAt(buf, at)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return condition.IO(err, "read", r.file.Name())
}

// rowsOf checks a block and gives its rows.
func (r *run) rowsOf(block []byte) ([]byte, error) {
	n := len(block) - crcBytes
	if crc32.Checksum(block[:n], castagnoli) != binary.LittleEndian.Uint32(block[n:]) {
		return nil, condition.IO(errors.New("the checksum is wrong"), "read", r.file.Name())
	}
	return block[:n], nil
}

// writer makes a run of rows that are added in order.
type writer struct {
	run   *run
	buf   []byte // what is yet to be written
	start int    // of the current block there
	at    int64  // of buf in the file
	last  uint64 // hash of the last row
}

// newWriter begins a run of at most so many rows.
func newWriter(s *Space, rows int) (*writer, error) {
	f, err := s.create()
	if err != nil {
		return nil, err
	}
	return &writer{run: &run{space: s, file: f, filter: s.filter(rows), users: 1}}, nil
}

// add adds a row with its hash.
func (w *writer) add(h uint64, row []byte) error {
	if w.start == len(w.buf) || len(w.buf)-w.start >= blockBytes && h != w.last {
		if err := w.endBlock(); err != nil {
			return err
		}
		w.run.first = append(w.run.first, h)
		w.run.off = append(w.run.off, w.at+int64(w.start))
	}
	w.buf = append(w.buf, row...)
	w.last = h
	w.run.rows++
	w.run.filter.add(h)
	return nil
}

func (w *writer) endBlock() error {
	if w.start == len(w.buf) {
		return nil
	}
	w.buf = binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf[w.start:], castagnoli))
	w.start = len(w.buf)
	if len(w.buf) < writeBytes {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	if _, err := w.run.file.Write(w.buf); err != nil {
		return condition.IO(err, "write", w.run.file.Name())
	}
	w.at += int64(len(w.buf))
	w.buf, w.start = w.buf[:0], 0
	return nil
}

// end gives the run, nil if it has no rows.
func (w *writer) end() (*run, error) {
	err := w.endBlock()
	if err == nil {
		err = w.flush()
	}
	w.run.off = append(w.run.off, w.at)
	if err == nil && w.run.rows > 0 {
		return w.run, nil
	}
	return nil, errors.Join(err, w.run.drop())
}

// abort gives the run up after an error.
func (w *writer) abort(err error) error { return errors.Join(err, w.run.drop()) }
