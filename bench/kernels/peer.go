package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vstream/vstream/vector"
)

// peer is DuckDB in a process of its own that times one expression at a time.
type peer struct {
	version string
	dir     string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// newPeer starts the script on the data.
func newPeer(python, script string, data *vector.Batch) (*peer, error) {
	file, err := parquetFile(data)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "kernels")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "data.parquet")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		return nil, err
	}
	p := &peer{dir: dir, cmd: exec.Command(python, script, path, strconv.Itoa(data.Len()))}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.version, err = p.line()
	return p, err
}

// time is the nanoseconds per row of one run of an expression.
func (p *peer) time(sql string) (float64, error) {
	if _, err := fmt.Fprintln(p.in, sql); err != nil {
		return 0, err
	}
	s, err := p.line()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(s, 64)
}

func (p *peer) line() (string, error) {
	s, err := p.out.ReadString('\n')
	return strings.TrimSpace(s), err
}

// close ends the process and removes its files.
func (p *peer) close() error {
	defer os.RemoveAll(p.dir)
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}
