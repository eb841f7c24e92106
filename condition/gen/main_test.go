package main

import (
	"bytes"
	"testing"
)

func TestGenerate(t *testing.T) {
	const in = `{
  "B" : {"message" : ["One <x>", "two & \"three\"."], "sqlState" : "42000", "docs": "unused",
    "subClass" : {"Y" : {"message" : ["sub"]}, "X" : {"message" : ["a", "b"], "sqlState" : "22000"}}},
  "A" : {"message" : ["No state."]}
}`
	const want = `{
"A":{"message":"No state."},
"B":{"sqlState":"42000","message":"One <x>\ntwo & \"three\"."},
"B.X":{"sqlState":"22000","message":"One <x>\ntwo & \"three\". a\nb"},
"B.Y":{"sqlState":"42000","message":"One <x>\ntwo & \"three\". sub"}
}
`
	var out bytes.Buffer
	if err := generate([]byte(in), &out); err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := generate([]byte("["), &out); err == nil {
		t.Error("bad JSON was accepted")
	}
}
