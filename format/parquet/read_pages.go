package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// pages reads a column chunk of plain or dictionary-encoded values of fixed width without
// repetition: what the Parquet library does, whose dictionaries grow by a value at a time.
// It is the batcher of most columns.
type pages[P int32 | int64 | float32 | float64] struct {
	r      file.PageReader
	maxDef int16
	dict   []P

	left  int     // levels left of the current page
	def   hybrid  // its definition levels
	early []int16 // those in the old bit-packed form, decoded
	index *hybrid // its values; nil: plain
	plain []byte
}

// ownEncodings are those that pages reads; BIT_PACKED is for levels only.
var ownEncodings = []parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.PlainDict, parquet.Encodings.RLEDict,
	parquet.Encodings.RLE, parquet.Encodings.BitPacked}

// openPages opens a column as pages; ok is false if that cannot read it.
func openPages(rg *file.RowGroupReader, n *node) (rd any, ok bool, err error) {
	if n.leaf.MaxRepetitionLevel() > 0 {
		return nil, false, nil
	}
	chunk, err := rg.MetaData().ColumnChunk(n.col)
	if err != nil {
		return nil, false, err
	}
	for _, e := range chunk.Encodings() {
		if !slices.Contains(ownEncodings, e) {
			return nil, false, nil
		}
	}
	switch n.leaf.PhysicalType() {
	case parquet.Types.Int32:
		rd, err = newPages[int32](rg, n)
	case parquet.Types.Int64:
		rd, err = newPages[int64](rg, n)
	case parquet.Types.Float:
		rd, err = newPages[float32](rg, n)
	case parquet.Types.Double:
		rd, err = newPages[float64](rg, n)
	default:
		return nil, false, nil
	}
	return rd, true, err
}

func newPages[P int32 | int64 | float32 | float64](rg *file.RowGroupReader, n *node) (*pages[P], error) {
	r, err := rg.GetColumnPageReader(n.col)
	return &pages[P]{r: r, maxDef: n.leaf.MaxDefinitionLevel()}, err
}

// Err is nil: ReadBatch returns its errors.
func (p *pages[P]) Err() error { return nil }

// ReadBatch decodes up to n levels of one page into def, if the column has levels, and
// the values that are there; no levels is the end of the chunk.
func (p *pages[P]) ReadBatch(n int64, values []P, def, _ []int16) (levels int64, got int, err error) {
	for p.left == 0 {
		if ok, err := p.next(); !ok || err != nil {
			return 0, 0, err
		}
	}
	k := int(min(n, int64(p.left)))
	if got, err = p.defined(k, def); err != nil {
		return 0, 0, err
	}
	if p.index != nil {
		err = lookUp(p.index, p.dict, values[:got])
	} else {
		err = p.copyPlain(values[:got])
	}
	p.left -= k
	return int64(k), got, err
}

// defined decodes n definition levels and counts the values that they announce.
func (p *pages[P]) defined(n int, def []int16) (got int, err error) {
	if p.maxDef == 0 {
		return n, nil
	}
	def = def[:n]
	if p.early != nil {
		p.early = p.early[copy(def, p.early):]
	} else if err := p.def.levels(def); err != nil {
		return 0, err
	}
	for _, d := range def {
		if d == p.maxDef {
			got++
		}
	}
	return got, nil
}

// bytesOf is the memory of values.
func bytesOf[P any](values []P) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(P))))
}

func (p *pages[P]) copyPlain(values []P) error {
	to := bytesOf(values)
	if len(p.plain) < len(to) {
		return errShort
	}
	copy(to, p.plain) // Arrow's columns are little-endian as Parquet's values are
	p.plain = p.plain[len(to):]
	return nil
}

// next opens the next page that holds rows; it is false at the end of the chunk.
func (p *pages[P]) next() (bool, error) {
	for p.r.Next() {
		switch page := p.r.Page().(type) {
		case *file.DictionaryPage:
			if err := p.readDictionary(page); err != nil {
				return false, err
			}
		case *file.DataPageV1:
			return true, p.openV1(page)
		case *file.DataPageV2:
			return true, p.openV2(page)
		}
	}
	return false, p.r.Err()
}

func (p *pages[P]) readDictionary(page *file.DictionaryPage) error {
	n, data := int(page.NumValues()), page.Data()
	if n < 0 || n > len(data) {
		return errShort
	}
	p.dict = make([]P, n)
	to := bytesOf(p.dict)
	if len(data) < len(to) {
		return errShort
	}
	copy(to, data)
	return nil
}

func (p *pages[P]) openV1(page *file.DataPageV1) error {
	data := page.Data()
	if p.maxDef > 0 {
		width := bits.Len16(uint16(p.maxDef))
		size, skip := 0, 0
		if page.DefinitionLevelEncoding() == parquet.Encodings.BitPacked {
			size = (int(page.NumValues())*width + 7) / 8
		} else {
			if len(data) < 4 {
				return errShort
			}
			size, skip = int(binary.LittleEndian.Uint32(data)), 4
		}
		if size < 0 || size > len(data)-skip {
			return errShort
		}
		levels := data[skip : skip+size]
		p.early = nil
		if skip == 0 {
			p.early = bitPacked(levels, int(page.NumValues()), width)
		}
		p.def = hybrid{data: levels, width: width}
		data = data[skip+size:]
	}
	return p.openValues(page, data)
}

func (p *pages[P]) openV2(page *file.DataPageV2) error {
	data := page.Data()
	rep, def := int(page.RepetitionLevelByteLen()), int(page.DefinitionLevelByteLen())
	if rep < 0 || def < 0 || rep+def > len(data) {
		return errShort
	}
	p.early = nil
	p.def = hybrid{data: data[rep : rep+def], width: bits.Len16(uint16(p.maxDef))}
	return p.openValues(page, data[rep+def:])
}

func (p *pages[P]) openValues(page file.Page, data []byte) error {
	if p.left = int(page.NumValues()); p.left < 0 {
		return errShort
	}
	switch e := parquet.Encoding(page.Encoding()); e {
	case parquet.Encodings.Plain:
		p.index, p.plain = nil, data
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		if p.dict == nil {
			return errors.New("the dictionary of a column is missing")
		}
		p.index = &hybrid{}
		if len(data) > 0 {
			p.index = &hybrid{data: data[1:], width: int(data[0])}
		}
		if p.index.width > 32 {
			return fmt.Errorf("positions in a dictionary of %d bits", p.index.width)
		}
	default:
		return fmt.Errorf("encoding %v, which the footer does not tell of", e)
	}
	return nil
}

// bitPacked decodes levels in the old form: width bits each from the highest bit of the
// first byte on.
func bitPacked(data []byte, n, width int) []int16 {
	out := make([]int16, n)
	for i := range out {
		for b := i * width; b < (i+1)*width; b++ {
			out[i] = out[i]<<1 | int16(data[b/8]>>(7-b%8)&1)
		}
	}
	return out
}
