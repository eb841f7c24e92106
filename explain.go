package vstream

import (
	"strings"

	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/plan"
)

// Explain shows how the query would run in its output mode: the analysed and the
// optimised plan, the pipelines and the state of each operator, and in which output modes it can
// run.
func (w *Writer) Explain() (string, error) {
	a := w.t.s.analyser()
	analysed, err := w.t.build(a)
	if err != nil {
		return "", err
	}
	n, mode, err := w.compile()
	if err != nil {
		return "", err
	}
	p, err := w.physical(n, mode)
	if err != nil {
		return "", err
	}
	var modes []string
	for _, m := range []string{"append", "update", "complete"} {
		if plan.Check(analysed, m, w.t.s.kernelConf()) == nil {
			modes = append(modes, m)
		}
	}
	return "== Analysed plan ==\n" + plan.Explain(analysed) +
		"\n== Optimised plan ==\n" + plan.Explain(n) +
		"\n== Pipelines and state ==\n" + p.Explain() +
		"\noutput mode: " + mode + "; possible: " + strings.Join(modes, ", ") + "\n", nil
}

// Validate checks everything that Start checks, and that the query can be compiled,
// without running or writing anything.
func (w *Writer) Validate() error {
	n, mode, err := w.compile()
	if err != nil {
		return err
	}
	_, err = w.physical(n, mode)
	return err
}

func (w *Writer) physical(n plan.Node, mode string) (*physical.Plan, error) {
	c := w.t.s.kernelConf()
	partitions, ok := positive(c.Conf["spark.sql.shuffle.partitions"])
	if !ok {
		partitions = defaultPartitions()
	}
	return physical.Compile(n, physical.Config{Mode: mode, Partitions: min(partitions, maxPartitions), Conf: c})
}
