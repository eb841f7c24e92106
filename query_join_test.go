package vstream_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/vstream/vstream/drivers"
)

// joinFixture is a session with the streams l (k, ts, v) and r (k, ts, v, n), both with a
// watermark on ts, and the static table d (k, name).
func joinFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	for _, name := range []string{"l", "r"} {
		e, err := f.s.Read("json").Option("path", filepath.Join("in-"+name)).Schema("k STRING, ts TIMESTAMP, v BIGINT, s BIGINT").Load()
		if err == nil {
			e, err = e.WithWatermark("ts", "10 seconds")
		}
		if err == nil {
			err = e.View(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(f.dir, "in-"+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.write("d/0.json", `{"k":"a","name":"one"}`, `{"k":"a","name":"two"}`, `{"k":"b","name":"three"}`)
	d, err := f.s.ReadStatic("json").Option("path", "d").Schema("k STRING, name STRING").Load()
	if err == nil {
		err = d.View("d")
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// write writes lines to a file of the fixture.
func (f *fixture) write(name string, lines ...string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// TestJoinStateBounds: how long rows are kept follows from the comparisons of times, in
// whatever form they are written; the values are those of Spark's StreamingJoinHelper.
func TestJoinStateBounds(t *testing.T) {
	f := joinFixture(t)
	const forever = "are kept for ever"
	leave := func(lag string) string { return "leave when their time is at or before watermark " + lag }
	for _, c := range []struct{ on, left, right string }{
		{"l.v = r.v", forever, forever},
		{"r.ts >= l.ts AND r.ts <= l.ts + INTERVAL 5 SECONDS", leave("- 5.001s"), leave("- 1ms")},
		{"r.ts > l.ts AND r.ts < l.ts + INTERVAL 5 SECONDS", leave("- 5s"), leave("+ 0s")},
		{"r.ts BETWEEN l.ts - INTERVAL 1 MINUTE AND l.ts + INTERVAL '1:30' MINUTE TO SECOND", leave("- 1m30.001s"), leave("- 1m0.001s")},
		{"l.ts + INTERVAL 5 SECONDS >= r.ts", leave("- 5.001s"), forever},
		{"l.ts >= r.ts - INTERVAL 5 SECONDS", leave("- 5.001s"), forever},
		{"l.ts - r.ts >= -INTERVAL 5 SECONDS", forever, forever}, // Spark takes no differences apart
		{"r.ts - l.ts <= INTERVAL 5 SECONDS", forever, forever},
		{"l.ts - INTERVAL 3 SECONDS < r.ts + INTERVAL 2 SECONDS", forever, leave("- 5s")},
		{"l.ts + INTERVAL 1 SECOND + INTERVAL 2 SECONDS > r.ts", leave("- 3s"), forever},
		{"CAST(l.ts AS BIGINT) > CAST(r.ts AS BIGINT) - 5", leave("- 5s"), forever},
		{"CAST(l.ts AS DOUBLE) >= CAST(r.ts AS DOUBLE) - 0.5", leave("- 501ms"), forever},
		{"l.ts > r.ts + INTERVAL 5 SECONDS", leave("+ 5s"), forever},
		{"r.ts <= l.ts + INTERVAL 5 SECONDS AND r.ts <= l.ts + INTERVAL 2 SECONDS", leave("- 5.001s"), forever},
		{"r.ts <= l.ts + INTERVAL 1 MONTH", forever, forever},
		{"r.ts <= l.ts + make_dt_interval(0, 0, 0, l.v)", forever, forever},
		{"l.v > r.v", forever, forever},
		{"l.s >= CAST(r.ts AS BIGINT) - 5", forever, forever}, // Spark forgets rows by another column's limit
		{"l.ts = r.ts", leave(""), leave("")},
		{"date_trunc('hour', l.ts) = r.ts", leave(""), leave("")},
	} {
		q, err := f.s.SQL("SELECT l.v, r.v, l.ts, r.ts, l.s FROM l JOIN r ON l.k = r.k AND " + c.on)
		if err != nil {
			t.Errorf("%s: %v", c.on, err)
			continue
		}
		text, err := q.Write().Explain()
		if err != nil {
			t.Errorf("%s: %v", c.on, err)
			continue
		}
		for side, want := range map[string]string{"left rows ": c.left, "right rows ": c.right} {
			_, rest, _ := strings.Cut(text, "; "+side)
			got, _, _ := strings.Cut(rest, ";")
			if got != strings.TrimSpace(want) {
				t.Errorf("%s: %s%q, want %q", c.on, side, got, want)
			}
		}
	}
}

// TestStaticJoins joins the stream e with the table d, which changes between batches.
func TestStaticJoins(t *testing.T) {
	for _, c := range []struct{ sql, first, second string }{
		{"SELECT e.k, name FROM e JOIN d ON e.k = d.k", "a,one a,two", "a,new"},
		{"SELECT e.k, name FROM e LEFT JOIN d ON e.k = d.k", "a,one a,two c,<nil>", "a,new c,<nil>"},
		{"SELECT e.k, name FROM d RIGHT JOIN e ON e.k = d.k AND name > 'ooo'", "a,two c,<nil>", "a,<nil> c,<nil>"},
		{"SELECT e.k FROM e LEFT SEMI JOIN d ON e.k = d.k", "a", "a"},
		{"SELECT e.k FROM e LEFT ANTI JOIN d ON e.k = d.k", "c", "c"},
		{"SELECT e.k FROM e WHERE k IN (SELECT k FROM d)", "a", "a"},
		{"SELECT e.k FROM e WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.k = e.k AND name <> 'two')", "c", "c"},
		{"SELECT e.k, n FROM e JOIN (SELECT k, count(*) AS n FROM d GROUP BY k) g ON e.k = g.k", "a,2", "a,1"},
		{"SELECT e.k, x.name FROM e JOIN (SELECT d.name, w.c FROM d JOIN (VALUES ('a', 'c')) w(k, c) ON d.k = w.k) x ON e.k = x.c", "c,one c,two", "c,new"},
		{"SELECT e.k, w.y FROM e JOIN (VALUES (1, 'x'), (2, 'y')) w(v, y) ON e.v < w.v", "a,y", "a,y"},
		{"SELECT e.k, (SELECT max(name) FROM d) AS m FROM e", "a,two c,two", "a,new c,new"},
	} {
		t.Run(c.sql, func(t *testing.T) {
			f := joinFixture(t)
			f.add("a 1 1", "c 2 2")
			got := f.run(c.sql, "append")
			f.write("d/0.json", `{"k":"a","name":"new"}`)
			f.add("a 1 1", "c 2 2")
			got = append(got, f.run(c.sql, "append")...)
			if want := fmt.Sprintf("0: %s|1: %s", c.first, c.second); strings.Join(got, "|") != want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
			}
		})
	}
}

// TestStreamJoinAcrossRestart: rows kept before a restart are joined and evicted after it.
func TestStreamJoinAcrossRestart(t *testing.T) {
	f := joinFixture(t)
	row := func(k string, sec int) string {
		return fmt.Sprintf(`{"k":%q,"ts":"2026-01-01T00:%02d:%02dZ","v":%d}`, k, sec/60, sec%60, sec)
	}
	const sql = "SELECT l.v AS lv, r.v AS rv FROM l LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 5 SECONDS"
	f.write("in-l/1.json", row("a", 1), row("b", 2))
	f.write("in-r/1.json", row("c", 1))
	got := f.run(sql, "append")
	f.write("in-r/2.json", row("a", 3))
	got = append(got, f.run(sql, "append")...)
	f.write("in-l/3.json", row("z", 100))
	f.write("in-r/3.json", row("z", 101))
	got = append(got, f.run(sql, "append")...)
	if all := strings.Join(got, "|"); !strings.Contains(all, "1,3") || !strings.Contains(all, "2,<nil>") || !strings.Contains(all, "100,101") || strings.Contains(all, "1,<nil>") {
		t.Errorf("%s", all)
	}
}

// TestRefusedJoins: what Spark refuses when a query starts.
func TestRefusedJoins(t *testing.T) {
	f := joinFixture(t)
	for sql, want := range map[string]string{
		"SELECT l.v FROM l LEFT JOIN r ON l.k = r.k":                 "without a watermark in the join keys",
		"SELECT l.v FROM l LEFT ANTI JOIN r ON l.k = r.k":            "LeftAnti joins",
		"SELECT l.v FROM l FULL JOIN d ON l.k = d.k":                 "FullOuter joins",
		"SELECT l.v FROM d LEFT JOIN l ON l.k = d.k":                 "LeftOuter join with a streaming",
		"SELECT l.v FROM l RIGHT JOIN d ON l.k = d.k":                "RightOuter join with a streaming",
		"SELECT l.v FROM l JOIN r ON r.ts > l.ts":                    "without equality predicate",
		"SELECT l.v FROM l LEFT JOIN r ON l.k = r.k AND r.ts > l.ts": "without a watermark in the join keys",
	} {
		q, err := f.s.SQL(sql)
		if err == nil {
			err = q.Write().Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
