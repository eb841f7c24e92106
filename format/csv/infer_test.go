package csv_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream/format/csv"
)

// The cases were recorded from Spark 4.3.0.
func TestInferAsSpark(t *testing.T) {
	f, err := os.Open("testdata/spark_infer.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var c struct {
			Text, Schema string
			Options      map[string]string
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		o, err := csv.ParseOptions(c.Options, csv.Session{Zone: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		inf := csv.NewInference(o)
		if err := inf.Add(strings.NewReader(c.Text)); err != nil {
			t.Fatal(err)
		}
		if got := inf.Schema().String(); got != c.Schema {
			t.Errorf("%q %v: %s, want %s", c.Text, c.Options, got, c.Schema)
		}
	}
}
