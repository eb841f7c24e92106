// Command gen turns Spark's error-conditions.json into the flat catalogue that
// package condition embeds: one line per condition, "NAME" or "NAME.SUBCLASS",
// sorted, with only the SQLSTATE and the message template.
//
//	go run ./condition/gen error-conditions.json > condition/conditions-spark.json
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

type sparkCondition struct {
	Message  []string                  `json:"message"`
	SQLState string                    `json:"sqlState"`
	SubClass map[string]sparkCondition `json:"subClass"`
}

type entry struct {
	SQLState string `json:"sqlState,omitempty"`
	Message  string `json:"message"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen error-conditions.json > conditions-spark.json")
		os.Exit(2)
	}
	in, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = generate(in, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate writes the flat catalogue. A subclass's message is its parent's, a
// blank, and its own, as Spark renders it; its SQLSTATE is its own, if it has
// one, or its parent's.
func generate(in []byte, out io.Writer) error {
	var conditions map[string]sparkCondition
	if err := json.Unmarshal(in, &conditions); err != nil {
		return err
	}
	flat := map[string]entry{}
	for name, c := range conditions {
		text := strings.Join(c.Message, "\n")
		flat[name] = entry{c.SQLState, text}
		for sub, s := range c.SubClass {
			state := c.SQLState
			if s.SQLState != "" {
				state = s.SQLState
			}
			flat[name+"."+sub] = entry{state, text + " " + strings.Join(s.Message, "\n")}
		}
	}
	names := make([]string, 0, len(flat))
	for n := range flat {
		names = append(names, n)
	}
	sort.Strings(names)
	w := bufio.NewWriter(out)
	for i, n := range names {
		sep := ",\n"
		if i == 0 {
			sep = "{\n"
		}
		line := &strings.Builder{}
		enc := json.NewEncoder(line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(flat[n]); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s%q:%s", sep, n, strings.TrimSuffix(line.String(), "\n"))
	}
	fmt.Fprint(w, "\n}\n")
	return w.Flush()
}
