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
	analysed, optimised, p, err := w.compile()
	if err != nil {
		return "", err
	}
	var modes []string
	for _, m := range []string{"append", "update", "complete"} {
		if plan.Check(analysed, m, w.t.s.kernelConf()) == nil {
			modes = append(modes, m)
		}
	}
	mode, _ := parseMode(w.mode)
	return "== Analysed plan ==\n" + plan.Explain(analysed) +
		"\n== Optimised plan ==\n" + plan.Explain(optimised) +
		"\n== Pipelines and state ==\n" + p.Explain() +
		"\noutput mode: " + mode + "; possible: " + strings.Join(modes, ", ") + "\n", nil
}

// Validate checks everything that Start checks, and that the query can be compiled,
// without running or writing anything.
func (w *Writer) Validate() error {
	_, _, _, err := w.compile()
	return err
}

// Warnings are what the query may do but hardly means to: state that grows for ever, a
// watermark that nothing uses. Start logs them, Explain shows them.
func (w *Writer) Warnings() ([]string, error) {
	_, _, p, err := w.compile()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(p.Warnings))
	for i, x := range p.Warnings {
		out[i] = x.String()
	}
	return out, nil
}

// compile makes the plans that the first micro-batch of a new query would run.
func (w *Writer) compile() (analysed, optimised plan.Node, p *physical.Plan, err error) {
	analysed, n, mode, err := w.analyse()
	if err != nil {
		return nil, nil, nil, err
	}
	c := w.t.s.kernelConf()
	optimised, p, err = compile(n, physical.Config{Mode: mode, Partitions: partitionsOf(c.Conf), Conf: c, Late: w.late != nil})
	return analysed, optimised, p, err
}

// compile optimises a checked plan and makes the operators that run it. What is
// validated, explained and run all comes from here.
func compile(n plan.Node, cfg physical.Config) (plan.Node, *physical.Plan, error) {
	optimised, err := plan.Optimise(n, cfg.Conf)
	if err != nil {
		return nil, nil, err
	}
	p, err := physical.Compile(optimised, cfg)
	return optimised, p, err
}

// partitionsOf is the number of state partitions that a configuration asks for; without
// a setting one per core.
func partitionsOf(conf map[string]string) int {
	n, ok := positive(conf["spark.sql.shuffle.partitions"])
	if !ok {
		n = defaultPartitions()
	}
	return min(n, maxPartitions)
}
