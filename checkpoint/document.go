package checkpoint

import (
	"fmt"
	"strings"
)

// Document is docs/restart.md: the rules for people, in Markdown.
func Document() string {
	var b strings.Builder
	b.WriteString(`# Changing a query and restarting it

Generated from the rules in checkpoint/rules.go by ` + "`go test ./checkpoint -run Document -update`" + `.

A query that starts on its checkpoint goes on where it stopped. Between two runs much may change, but not what the
positions, the state and the output so far depend on. ` + "`vstream validate JOB`" + ` compares a job with its checkpoints without
running it: what has changed, whether that is allowed, and why. ` + "`vstream run`" + ` refuses by the same rules, before anything is
written; after a refusal the unchanged query goes on as if nothing had happened. Whether a checkpoint is whole,
` + "`vstream checkpoint verify`" + ` tells ([checkpoint-verify.md](checkpoint-verify.md)).

- **allowed**: the query goes on, changed.
- **no effect**: the query goes on with what its first start has fixed, and a warning says so.
- **refused**: the query does not start. The error is ` + "`VSTREAM_RESTART_REFUSED`" + ` unless the table names another one; it tells what
  was, what is now, why it matters and what can be done.
`)
	group := ""
	for _, r := range Rules {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(&b, "\n## %s\n\n| change | verdict | why | what to do | scenarios |\n| --- | --- | --- | --- | --- |\n", group)
		}
		verdict := string(r.Verdict)
		if r.Condition != "" {
			verdict += ", `" + r.Condition + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Change, verdict, r.Why, r.Do, strings.Join(r.Scenarios, ", "))
	}
	return b.String()
}
