package statestore

// Select is a block of some rows of b, in the given order; it shares no memory with b.
func (b *Block) Select(rows []uint32) Block {
	out := Block{Rows: len(rows), Cols: make([]ColumnData, len(b.Cols))}
	for i := range b.Cols {
		out.Cols[i] = b.Cols[i].selected(b.Rows, rows)
	}
	return out
}

func (c *ColumnData) selected(n int, rows []uint32) ColumnData {
	var out ColumnData
	if c.Valid != nil {
		out.Valid = make([]byte, (len(rows)+7)/8)
		for i, r := range rows {
			out.Valid[i/8] |= c.Valid[r/8] >> (r % 8) & 1 << (i % 8)
		}
	}
	if c.Off == nil {
		width := 0
		if n > 0 {
			width = len(c.Data) / n
		}
		out.Data = make([]byte, 0, width*len(rows))
		for _, r := range rows {
			out.Data = append(out.Data, c.Data[int(r)*width:(int(r)+1)*width]...)
		}
		return out
	}
	size := 0
	for _, r := range rows {
		size += int(c.Off[r+1] - c.Off[r])
	}
	out.Data, out.Off = make([]byte, 0, size), make([]uint32, 1, len(rows)+1)
	for _, r := range rows {
		out.Data = append(out.Data, c.Data[c.Off[r]:c.Off[r+1]]...)
		out.Off = append(out.Off, uint32(len(out.Data)))
	}
	return out
}
