package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vstream/vstream/condition"
)

// Change is a difference between a query and the last run on its checkpoint.
type Change struct {
	*Rule
	Subject     string // of what: "source e", "stateful operator 0"; "" for the query
	Before, Now string
	Detail      string // the message of a refusal that has a condition of its own
}

// What names what has changed.
func (c Change) What() string {
	if c.Subject == "" {
		return "the " + c.Noun
	}
	return "the " + c.Noun + " of " + c.Subject
}

// Refusal is the error of a change that is not allowed.
func (c Change) Refusal() error {
	return condition.New(refused, "what", c.What(), "before", orNone(c.Before), "now", orNone(c.Now), "why", c.Why, "rule", c.Key, "subject", c.Subject).
		WithHint("%s", c.Do)
}

// Describe names the changes that are not allowed, each in a sentence with a space behind it.
func Describe(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		if c.Verdict == Refused {
			fmt.Fprintf(&b, "%s was %s and is %s now. ", c.What(), orNone(c.Before), orNone(c.Now))
		}
	}
	return b.String()
}

// Refuse is the error of a change that was found by other means than a comparison
// of specs, by the rule of that key.
func Refuse(key, subject, before, now string) error {
	return change(key, subject, before, now).Refusal()
}

// Ignore is the change of a setting that the first start has fixed.
func Ignore(setting, before, now string) Change {
	return change("conf.fixed", setting, before, now)
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

// Compare gives what has changed, in the order of the facts. Facts that only one
// of the specs has are not compared.
func Compare(before, now Spec) []Change {
	var out []Change
	for _, f := range now.Facts {
		old, known := before.Value(f.Key, f.Subject)
		if !known || old == f.Value {
			continue
		}
		subject := f.Label
		if subject == "" {
			subject = f.Subject
		}
		out = append(out, change(f.Key, subject, old, f.Value))
	}
	return append(out, compareNames(before, now)...)
}

// compareNames tells which of the named sources came and went.
func compareNames(before, now Spec) []Change {
	var out []Change
	for _, name := range now.Sources {
		switch {
		case slices.Contains(before.Removed, name):
			out = append(out, change("names.removed", "source "+name, "removed", "added again"))
		case !slices.Contains(before.Sources, name):
			out = append(out, change("names.added", "source "+name, "", "added"))
		}
	}
	for _, name := range before.Sources {
		if !slices.Contains(now.Sources, name) {
			out = append(out, change("names.gone", "source "+name, "there", "removed"))
		}
	}
	return out
}

// RemovedSources are the names that a query's sources once had, after a restart as now.
func RemovedSources(before, now Spec) []string {
	var out []string
	for _, name := range append(slices.Clone(before.Removed), before.Sources...) {
		if !slices.Contains(now.Sources, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// RefusalOf puts an error that ends a restart into the form of a change, by the rule that it
// enforces; ok is false if it is of no rule.
func RefusalOf(err error) (c Change, ok bool) {
	var e *condition.Error
	if !errors.As(err, &e) {
		return c, false
	}
	for i := range Rules {
		r := &Rules[i]
		switch {
		case e.Name == refused && r.Key == e.Params["rule"]:
			return Change{Rule: r, Subject: e.Params["subject"], Before: e.Params["before"], Now: e.Params["now"]}, true
		case r.Condition != "" && (e.Name == r.Condition || strings.HasPrefix(e.Name, r.Condition+".")):
			if e.Hint != "" {
				own := *r
				own.Do, r = e.Hint, &own
			}
			return Change{Rule: r, Before: "?", Now: "?", Detail: "[" + e.Name + "] " + e.Message}, true
		}
	}
	return c, false
}

const refused = "VSTREAM_RESTART_REFUSED"

// change is a change by the first rule of its key that applies.
func change(key, subject, before, now string) Change {
	for i := range Rules {
		if r := &Rules[i]; r.Key == key && (r.When == nil || r.When(before, now)) {
			return Change{Rule: r, Subject: subject, Before: before, Now: now}
		}
	}
	panic("checkpoint: no rule for " + key)
}
