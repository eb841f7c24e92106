package verify_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vstream/vstream/checkpoint/verify"
)

// spark is a checkpoint that Spark wrote, in a folder of the test.
func spark(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir+"/cp", os.DirFS("../../testdata/spark_checkpoint/"+name+"/checkpoint")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// put makes a file below the checkpoint.
func put(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	file := filepath.Join(dir, "cp", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func level(r *verify.Report, file string) verify.Level {
	at := slices.IndexFunc(r.Problems, func(p verify.Problem) bool { return p.File == file })
	if at < 0 {
		return ""
	}
	return r.Problems[at].Level
}

// TestSpark: checkpoints of Spark's are whole, and damage of the logs and of the sources' logs is found.
func TestSpark(t *testing.T) {
	for name, next := range map[string]int64{"files": 12, "rate": 4} {
		r := check(t, spark(t, name))
		if len(r.Problems) > 0 || r.Next == nil || *r.Next != next || r.Replay != (name == "rate") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for file, want := range map[string]verify.Level{
		"offsets/11": verify.Fatal, "offsets/4": verify.Damage, "commits/11": verify.Fatal, "commits/4": verify.Damage,
		"sources/0/9.compact": verify.Fatal, "sources/0/10": verify.Fatal, "sources/0/3": verify.Damage,
	} {
		dir := spark(t, "files")
		write(t, dir+"/cp/"+file, "v1\n{")
		if r := check(t, dir); level(r, file) != want || (r.Next == nil) != (want == verify.Fatal) {
			t.Errorf("%s: %+v", file, r)
		}
	}
	dir := spark(t, "rate")
	write(t, dir+"/cp/sources/0/0", "v1")
	if r := check(t, dir); level(r, "sources/0/0") != verify.Fatal {
		t.Errorf("%+v", r)
	}
}

// TestHadoopChecksums: files are compared with the checksums that Hadoop keeps beside them.
func TestHadoopChecksums(t *testing.T) {
	dir := spark(t, "files")
	data, err := os.ReadFile(dir + "/cp/offsets/11")
	if err != nil {
		t.Fatal(err)
	}
	const chunk = 512
	sums := append([]byte("crc\x00"), binary.BigEndian.AppendUint32(nil, chunk)...)
	for part := range slices.Chunk(data, chunk) {
		sums = binary.BigEndian.AppendUint32(sums, crc32.ChecksumIEEE(part))
	}
	put(t, dir, "offsets/.11.crc", sums)
	if r := check(t, dir); len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
	for name, broken := range map[string][]byte{
		"another byte": []byte(strings.Replace(string(data), "1796", "1797", 1)),
		"longer":       append(slices.Clone(data), make([]byte, 2*chunk)...),
	} {
		put(t, dir, "offsets/11", broken)
		if r := check(t, dir); level(r, "offsets/11") == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	put(t, dir, "offsets/11", data)
	put(t, dir, "offsets/.11.crc", []byte("crc"))
	if r := check(t, dir); level(r, "offsets/11") != verify.Damage {
		t.Errorf("%+v", r)
	}
}

// TestSparkState: of state that Spark wrote, the names tell which versions are there, and archives have checksums.
func TestSparkState(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("metadata")
	if err == nil {
		_, err = w.Write(bytes.Repeat([]byte("rows "), 100))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		dir := spark(t, "files")
		put(t, dir, "state/0/_metadata/metadata", []byte("v1\n"+`{"operatorInfo":{"operatorId":0,"operatorName":"stateStoreSave"},"stateStoreInfo":[{"storeName":"default","numColsPrefixKey":0,"numPartitions":2}]}`))
		put(t, dir, "state/0/0/10.zip", archive.Bytes())
		for _, name := range []string{"0/11.changelog", "0/12.changelog", "1/8_4dd2.changelog", "1/10.snapshot", "1/11_4dd2.changelog", "1/12_4dd2.changelog"} {
			put(t, dir, "state/0/"+name, []byte("rows"))
		}
		return dir
	}
	r := check(t, state())
	if len(r.Problems) != 1 || r.Problems[0].Level != verify.Note || r.Next == nil || *r.Next != 12 {
		t.Errorf("%+v", r)
	}
	dir := state()
	remove(t, dir+"/cp/state/0/0/12.changelog")
	if r := check(t, dir); level(r, "state/0/0/") != verify.Fatal || r.Next != nil || r.Back == nil || *r.Back != 10 {
		t.Errorf("%+v", r)
	}
	dir = state()
	flip(t, dir+"/cp/state/0/0/10.zip")
	if r := check(t, dir); level(r, "state/0/0/10.zip") != verify.Damage || level(r, "state/0/0/") != verify.Fatal || r.Back != nil {
		t.Errorf("%+v", r)
	}
}
