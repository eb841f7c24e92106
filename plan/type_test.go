package plan_test

import (
	"errors"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/plan"
)

func TestParseSchema(t *testing.T) {
	for _, c := range []struct{ ddl, want string }{
		{"a INT, b STRING", "struct<a:int,b:string>"},
		{"a: INT NOT NULL, `b c` DECIMAL COMMENT 'x'", "struct<a:int,b c:decimal(10,0)>"},
		{"t TIMESTAMP_LTZ, n TIMESTAMP_NTZ, d DATE", "struct<t:timestamp,n:timestamp_ntz,d:date>"},
		{"c CHAR(3), v VARCHAR(9)", "struct<c:string,v:string>"},
		{"m MAP<STRING, ARRAY<STRUCT<x: DOUBLE, y: BINARY>>>", "struct<m:map<string,array<struct<x:double,y:binary>>>>"},
		{"i INTERVAL DAY TO SECOND, y INTERVAL YEAR, c INTERVAL", "struct<i:interval day to second,y:interval year,c:interval>"},
		{"x TIME, y TIME(0), v VARIANT, z VOID", "struct<x:time(6),y:time(0),v:variant,z:void>"},
	} {
		s, err := plan.ParseSchema(c.ddl)
		if err != nil {
			t.Errorf("%s: %v", c.ddl, err)
			continue
		}
		if s.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.ddl, s, c.want)
		}
	}
	s, err := plan.ParseSchema("a INT NOT NULL, b INT")
	if err != nil || s.Fields[0].Nullable || !s.Fields[1].Nullable {
		t.Errorf("NOT NULL: %v %v", s, err)
	}
}

func TestParseSchemaErrors(t *testing.T) {
	for ddl, want := range map[string]condition.Name{
		"a FOO":            "UNSUPPORTED_DATATYPE",
		"a DECIMAL(5, 10)": "DECIMAL_SCALE_EXCEEDS_PRECISION",
		"a DECIMAL(39, 1)": "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
		"a TIME(10)":       "UNSUPPORTED_TIME_PRECISION",
		"a ARRAY":          "INCOMPLETE_TYPE_DEFINITION.ARRAY",
		"a CHAR":           "DATATYPE_MISSING_SIZE",
		"a":                "PARSE_SYNTAX_ERROR",
	} {
		if _, err := plan.ParseSchema(ddl); !errors.Is(err, want) {
			t.Errorf("%s: want %s, got %v", ddl, want, err)
		}
	}
}
