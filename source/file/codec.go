package file

import (
	"compress/bzip2"
	"compress/zlib"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/vstream/vstream/condition"
)

// compressed tells whether a file's name has the extension of a codec.
func compressed(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz", ".bz2", ".zst", ".deflate", ".lz4", ".snappy":
		return true
	}
	return false
}

// decompress puts the decoder in front that the extension asks for.
func decompress(in io.Reader, path string) (io.ReadCloser, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".gz":
		return gzip.NewReader(in)
	case ".bz2":
		return io.NopCloser(bzip2.NewReader(in)), nil
	case ".zst":
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case ".deflate":
		return zlib.NewReader(in)
	case ".lz4", ".snappy":
		return nil, condition.New("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION", "codecName", ext[1:],
			"availableCodecs", "bzip2, deflate, gzip, zstd")
	}
	return io.NopCloser(in), nil
}
