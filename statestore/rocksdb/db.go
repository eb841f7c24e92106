//go:build rocksdb

package rocksdb

/*
#cgo LDFLAGS: -lrocksdb
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// db is an open database. Its methods may be called concurrently.
type db struct {
	dir string
	c   *C.vs_db
}

// openDB opens a database in a folder; cache and writeBuffer are bytes.
func openDB(dir string, cache, writeBuffer int64) (*db, error) {
	path := C.CString(dir)
	defer C.free(unsafe.Pointer(path))
	var cerr *C.char
	d := C.vs_open(path, C.size_t(cache), C.size_t(writeBuffer), C.int(max(2, runtime.GOMAXPROCS(0))), &cerr)
	return &db{dir, d}, failure(cerr)
}

func (d *db) close() { C.vs_close(d.c) }

// failure is the error of a message that C gave, which it frees.
func failure(message *C.char) error {
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	text := C.GoString(message)
	if strings.Contains(text, "No space left on device") {
		return fmt.Errorf("RocksDB: %s: %w", text, syscall.ENOSPC)
	}
	return errors.New("RocksDB: " + text)
}

// write applies a batch in wire form; ingestAs, if not empty, is the name of a file by
// which it is added instead: it has only puts, in order.
func (d *db) write(batch []byte, ingestAs string) error {
	var cerr *C.char
	p, n := (*C.char)(unsafe.Pointer(unsafe.SliceData(batch))), C.size_t(len(batch))
	if ingestAs == "" {
		C.vs_write(d.c, p, n, &cerr)
		return failure(cerr)
	}
	path := C.CString(ingestAs)
	defer C.free(unsafe.Pointer(path))
	C.vs_ingest(d.c, path, p, n, &cerr)
	return failure(cerr)
}

// missing is the length of a value that is not there.
const missing = math.MaxUint32

// get looks up keys in ascending order; lens and out as vs_get has them. out is valid
// until the buffer is used again.
func (d *db) get(keys []byte, off []uint32, lens []uint32, buf *buffer) (out []byte, err error) {
	var cerr *C.char
	C.vs_get(d.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(keys))), (*C.uint32_t)(unsafe.SliceData(off)), C.size_t(len(lens)),
		(*C.uint32_t)(unsafe.SliceData(lens)), &buf.c, &cerr)
	return buf.bytes(), failure(cerr)
}

// deleteRange deletes the keys from begin up to end; last is behind all keys before end, and before end.
func (d *db) deleteRange(begin, end, last []byte) error {
	var cerr *C.char
	C.vs_delete_range(d.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(begin))), C.size_t(len(begin)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(end))), C.size_t(len(end)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(last))), C.size_t(len(last)), &cerr)
	return failure(cerr)
}

// scan gives the rows from begin up to end in pieces, as vs_scan_next has them.
func (d *db) scan(begin, end []byte, fn func(rows int, piece []byte) error) error {
	s := C.vs_scan_begin(d.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(begin))), C.size_t(len(begin)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(end))), C.size_t(len(end)))
	defer C.vs_scan_end(s)
	var buf buffer
	defer buf.free()
	for {
		var cerr *C.char
		rows := C.vs_scan_next(s, scanBytes, &buf.c, &cerr)
		if err := failure(cerr); err != nil || rows == 0 {
			return err
		}
		if err := fn(int(rows), buf.bytes()); err != nil {
			return err
		}
	}
}

// scanBytes is the size of the pieces of a scan.
const scanBytes = 1 << 20

// number is an integer property.
func (d *db) number(property string) uint64 {
	p := C.CString(property)
	defer C.free(unsafe.Pointer(p))
	return uint64(C.vs_number(d.c, p))
}

// buffer is memory of C's.
type buffer struct{ c C.vs_buffer }

func (b *buffer) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(b.c.data)), int(b.c.len))
}

func (b *buffer) free() {
	C.free(unsafe.Pointer(b.c.data))
	b.c = C.vs_buffer{}
}
