package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/vstream/vstream/condition"
)

// textFile is a text file, or the lines of a part of one.
type textFile struct {
	io.Reader
	f       *os.File
	decoder io.Closer
	from    int64 // where the first line begins
}

// openText opens the lines of f that begin in lo..hi, as Hadoop splits files: a
// part begins behind the first line end at or behind lo-1 and ends with the line
// that crosses hi. hi < 0 is the whole file, which may be compressed.
func openText(path string, lo, hi int64) (*textFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &textFile{f: f, Reader: f}
	if hi < 0 {
		d, err := decompress(f, path)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		t.Reader, t.decoder = d, d
		return t, nil
	}
	if t.from, err = lineBehind(f, lo); err == nil {
		var end int64
		if end, err = lineBehind(f, hi); err == nil {
			t.Reader = io.NewSectionReader(f, t.from, end-t.from)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

func (t *textFile) Close() error {
	var err error
	if t.decoder != nil {
		err = t.decoder.Close()
	}
	return errors.Join(err, t.f.Close())
}

// lineBehind is the first beginning of a line at or behind pos.
func lineBehind(f *os.File, pos int64) (int64, error) {
	if pos == 0 {
		return 0, nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, pos-1, 1<<62-pos), 64<<10)
	n := pos - 1
	for {
		line, err := r.ReadSlice('\n')
		n += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return n, nil
		default:
			return n, err
		}
	}
}

// linesBefore counts the lines in front of a position, for messages.
func linesBefore(path string, pos int64) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	r := io.LimitReader(f, pos)
	var lines int64
	for {
		n, err := r.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte("\n")))
		if err != nil {
			return lines
		}
	}
}

// withText opens a whole text file for the time of a call.
func withText(ctx context.Context, path string, use func(io.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := openText(path, 0, -1)
	if err != nil {
		return openError(path, err)
	}
	defer f.Close()
	err = use(f)
	var c *condition.Error
	if err == nil || errors.As(err, &c) {
		return err
	}
	return openError(path, err)
}
