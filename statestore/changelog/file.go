package changelog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
)

// FormatVersion is the newest version of the files that this package writes and reads. Files that
// need nothing of version 2, which has snapshots in pieces, are written as version 1.
const FormatVersion = 2

// Kind tells the files apart.
type Kind string

// The kinds of files, as their first four bytes.
const (
	Changelog Kind = "VSCL"
	Snapshot  Kind = "VSSN"
	// Piece is a further piece of a snapshot that is too large for one file.
	Piece Kind = "VSSP"
	// Increment is what many batches did to one table.
	Increment Kind = "VSIN"
)

const (
	preambleBytes = 4 + 2 + 2 + 4 + 8 // magic, version, reserved, length and hash of the head
	maxHead       = 1 << 28
	maxPieces     = 1 << 20
)

// Head is what stands at the beginning of a file. Version is what the file leads to.
// Base is, in a changelog or an increment, the version on which it builds (N = 0 for the first one).
type Head struct {
	Kind     Kind
	Version  statestore.Version
	Base     statestore.Version
	Sections []SectionInfo
	// Piece and Pieces tell which piece of a snapshot the file is, and how many there are: piece i of n
	// has the rows of slice i. The snapshot's own file is piece 0. Other files are piece 0 of 1.
	Piece, Pieces int
}

// SectionInfo says where in the file the section of a table lies.
type SectionInfo struct {
	ID             statestore.ID
	offset, length int
	hash           uint64
}

// Length is the size of the section in bytes.
func (s SectionInfo) Length() int { return s.length }

// End is where in the file the section ends.
func (s SectionInfo) End() int { return s.offset + s.length }

// Section is an encoded section and its table.
type Section struct {
	ID   statestore.ID
	Data []byte
}

// Assemble makes a file of encoded sections.
func Assemble(kind Kind, version, base statestore.Version, sections []Section) []byte {
	return assemble(kind, version, base, 0, 1, sections)
}

// AssemblePiece makes the file of a snapshot's piece.
func AssemblePiece(version statestore.Version, piece, pieces int, section Section) []byte {
	kind := Piece
	if piece == 0 {
		kind = Snapshot
	}
	return assemble(kind, version, statestore.Version{}, piece, pieces, []Section{section})
}

func assemble(kind Kind, version, base statestore.Version, piece, pieces int, sections []Section) []byte {
	format := uint16(1)
	head := appendVersion(nil, version)
	head = appendVersion(head, base)
	if pieces > 1 {
		format = 2
		head = binary.AppendUvarint(binary.AppendUvarint(head, uint64(piece)), uint64(pieces))
	}
	head = binary.AppendUvarint(head, uint64(len(sections)))
	size := 0
	for _, s := range sections {
		head = binary.AppendUvarint(head, uint64(s.ID.Operator))
		head = binary.AppendUvarint(head, uint64(s.ID.Partition))
		head = appendText(head, s.ID.Name)
		head = binary.AppendUvarint(head, uint64(len(s.Data)))
		head = binary.LittleEndian.AppendUint64(head, xxhash.Sum64(s.Data))
		size += len(s.Data)
	}
	out := make([]byte, 0, preambleBytes+len(head)+size)
	out = append(out, kind...)
	out = binary.LittleEndian.AppendUint16(out, format)
	out = binary.LittleEndian.AppendUint16(out, 0)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	out = binary.LittleEndian.AppendUint64(out, xxhash.Sum64(head))
	out = append(out, head...)
	for _, s := range sections {
		out = append(out, s.Data...)
	}
	return out
}

func appendVersion(b []byte, v statestore.Version) []byte {
	return appendText(binary.AppendUvarint(b, uint64(v.N)), v.Attempt)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// ReadHead reads the head of a file. name is for errors: VSTREAM_NEWER_FORMAT and
// VSTREAM_CORRUPT_FILE. The sections are checked when they are read.
func ReadHead(name string, kind Kind, data []byte) (*Head, error) {
	if len(data) < preambleBytes {
		return nil, Corrupt(name, errTruncated)
	}
	if Kind(data[:4]) != kind {
		return nil, Corrupt(name, fmt.Errorf("it begins with %q, not %q", data[:4], kind))
	}
	switch v := binary.LittleEndian.Uint16(data[4:]); {
	case v == 0:
		return nil, Corrupt(name, errors.New("it has format version 0"))
	case v > FormatVersion:
		return nil, condition.New("VSTREAM_NEWER_FORMAT", "file", name, "version", v, "supported", FormatVersion)
	}
	n := int(binary.LittleEndian.Uint32(data[8:]))
	if n > maxHead || n > len(data)-preambleBytes {
		return nil, Corrupt(name, errTruncated)
	}
	head := data[preambleBytes : preambleBytes+n]
	if xxhash.Sum64(head) != binary.LittleEndian.Uint64(data[12:]) {
		return nil, Corrupt(name, errors.New("the checksum of its head is wrong"))
	}
	h, err := parseHead(head, binary.LittleEndian.Uint16(data[4:]), preambleBytes+n, len(data))
	if err != nil {
		return nil, Corrupt(name, err)
	}
	h.Kind = kind
	return h, nil
}

// parseHead reads the head; the sections lie one after another from start to the file's size.
func parseHead(head []byte, format uint16, start, size int) (*Head, error) {
	r := &reader{b: head}
	h := &Head{Version: r.version(), Base: r.version(), Pieces: 1}
	if format >= 2 {
		h.Piece = r.uvarint(maxPieces-1, "piece")
		h.Pieces = r.uvarint(maxPieces, "number of pieces")
		if r.err == nil && h.Piece >= h.Pieces {
			r.fail(fmt.Errorf("it is piece %d of %d", h.Piece, h.Pieces))
		}
	}
	// A section takes at least 12 bytes of the head.
	for n := r.uvarint(uint64(len(head)/12), "number of sections"); n > 0 && r.err == nil; n-- {
		s := SectionInfo{offset: start}
		s.ID.Operator = r.uvarint(1<<31, "operator")
		s.ID.Partition = r.uvarint(1<<31, "partition")
		s.ID.Name = r.text()
		s.length = r.uvarint(1<<40, "section length")
		s.hash = r.uint64()
		start += s.length
		h.Sections = append(h.Sections, s)
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.b) > 0:
		return nil, fmt.Errorf("%d bytes follow its list of sections", len(r.b))
	case start > size:
		return nil, errTruncated
	case start < size:
		return nil, fmt.Errorf("%d bytes follow its last section", size-start)
	}
	return h, nil
}

func (r *reader) version() statestore.Version {
	return statestore.Version{N: int64(r.uvarint(1<<62, "version")), Attempt: r.text()}
}

// Find is the section of a table.
func (h *Head) Find(id statestore.ID) (SectionInfo, bool) {
	for _, s := range h.Sections {
		if s.ID == id {
			return s, true
		}
	}
	return SectionInfo{}, false
}

// Clears tells whether the section drops the table's rows first, so that what was
// before does not matter.
func (s SectionInfo) Clears(data []byte) bool {
	return s.length > 0 && data[s.offset]&flagClear != 0
}

// Check compares the checksum of a section of the file with the bytes data.
func (s SectionInfo) Check(name string, data []byte) error {
	return s.check(name, data[s.offset:s.End()])
}

func (s SectionInfo) check(name string, section []byte) error {
	if xxhash.Sum64(section) != s.hash {
		return Corrupt(name, fmt.Errorf("the checksum of its %s is wrong", s.where()))
	}
	return nil
}

// Read checks and decodes a section of the file with the bytes data.
func (s SectionInfo) Read(name string, data []byte, schema statestore.Schema) (*statestore.Changes, error) {
	return s.decode(name, data[s.offset:s.End()], schema)
}

// ReadAt is Read for a file of which only the section is read.
func (s SectionInfo) ReadAt(name string, file io.ReaderAt, schema statestore.Schema) (*statestore.Changes, error) {
	section := make([]byte, s.length)
	if _, err := file.ReadAt(section, int64(s.offset)); errors.Is(err, io.EOF) {
		return nil, Corrupt(name, errors.New("it has become shorter"))
	} else if err != nil {
		return nil, err
	}
	return s.decode(name, section, schema)
}

func (s SectionInfo) decode(name string, section []byte, schema statestore.Schema) (*statestore.Changes, error) {
	if err := s.check(name, section); err != nil {
		return nil, err
	}
	c, err := DecodeSection(section, schema)
	if err != nil {
		return nil, Corrupt(name, fmt.Errorf("its %s: %w", s.where(), err))
	}
	return c, nil
}

func (s SectionInfo) where() string {
	return fmt.Sprintf("section of operator %d, partition %d, store %s", s.ID.Operator, s.ID.Partition, s.ID.Name)
}

// Corrupt is a VSTREAM_CORRUPT_FILE condition.
func Corrupt(name string, err error) error {
	return condition.New("VSTREAM_CORRUPT_FILE", "file", name, "detail", err.Error())
}
