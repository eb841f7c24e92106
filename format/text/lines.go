// Package text splits text into lines as Hadoop's line reader does and turns
// lines into a string column and back, as Spark's text data source.
package text

import (
	"bytes"
	"io"
)

const chunkBytes = 1 << 20

// Lines calls fn for each line of in, without its end. A line ends with lineSep,
// or if that is "", with \n, \r\n or \r; the last one needs no end. start tells
// that in begins where the file does: then a byte order mark is dropped. The line
// is valid during the call only. An error of fn or in ends the scan.
func Lines(in io.Reader, lineSep string, start bool, fn func(line []byte) error) error {
	buf, have := make([]byte, chunkBytes), 0
	for eof := false; !eof; {
		n, end, err := Fill(in, buf[have:])
		if err != nil {
			return err
		}
		have, eof = have+n, end
		if start {
			have = copy(buf, bytes.TrimPrefix(buf[:have], []byte("\xef\xbb\xbf")))
			start = false
		}
		done, err := lines(buf[:have], lineSep, eof, fn)
		if err != nil {
			return err
		}
		if done == 0 && have == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
			continue
		}
		have = copy(buf, buf[done:have])
	}
	return nil
}

// Fill reads until buf is full or in ends. Unlike io.ReadFull it keeps the end of
// the input apart from io.ErrUnexpectedEOF, by which decoders tell of damaged input.
func Fill(in io.Reader, buf []byte) (n int, eof bool, err error) {
	for n < len(buf) {
		k, err := in.Read(buf[n:])
		n += k
		if err == io.EOF {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}

// lines calls fn for the whole lines of b and returns their length; at the end of
// the input the rest is a line too.
func lines(b []byte, lineSep string, eof bool, fn func([]byte) error) (int, error) {
	mixed := lineSep == "" && bytes.IndexByte(b, '\r') >= 0
	if lineSep == "" {
		lineSep = "\n"
	}
	sep := []byte(lineSep)
	done := 0
	for done < len(b) {
		rest := b[done:]
		var n, skip int
		if mixed {
			if n = bytes.IndexAny(rest, "\r\n"); n >= 0 {
				skip = 1
				if rest[n] == '\r' {
					if n+1 == len(rest) && !eof {
						return done, nil // half of a line end, perhaps
					}
					if n+1 < len(rest) && rest[n+1] == '\n' {
						skip = 2
					}
				}
			}
		} else if len(sep) == 1 {
			n, skip = bytes.IndexByte(rest, sep[0]), 1
		} else {
			n, skip = bytes.Index(rest, sep), len(sep)
		}
		if n < 0 {
			if !eof {
				return done, nil
			}
			n, skip = len(rest), 0
		}
		if err := fn(rest[:n]); err != nil {
			return done, err
		}
		done += n + skip
	}
	return done, nil
}
