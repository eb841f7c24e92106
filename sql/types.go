package sql

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
)

// typeNames maps the names of the types without parts of their own to the name
// in the tree.
var typeNames = map[string]string{
	"BOOLEAN": "boolean", "TINYINT": "tinyint", "BYTE": "tinyint", "SMALLINT": "smallint", "SHORT": "smallint",
	"INT": "int", "INTEGER": "int", "BIGINT": "bigint", "LONG": "bigint", "FLOAT": "float", "REAL": "float",
	"DOUBLE": "double", "DATE": "date", "STRING": "string", "BINARY": "binary", "VARIANT": "variant", "VOID": "void",
	"CHAR": "char", "CHARACTER": "char", "VARCHAR": "varchar", "DECIMAL": "decimal", "DEC": "decimal", "NUMERIC": "decimal",
	"TIMESTAMP": "timestamp", "TIMESTAMP_NTZ": "timestamp_ntz", "TIMESTAMP_LTZ": "timestamp_ltz", "TIME": "time",
}

// typeParams is the largest number of parameters of the types that take any.
var typeParams = map[string]int{
	"char": 1, "varchar": 1, "decimal": 2, "timestamp": 1, "timestamp_ntz": 1, "timestamp_ltz": 1, "time": 1,
}

func (p *parser) dataType() *TypeName {
	defer p.leave(p.enter())
	start := p.cur().Start
	t := &TypeName{}
	name := p.simpleIdent()
	switch up := strings.ToUpper(name.Name); {
	case name.Quoted:
		p.unsupportedType(name, nil)
	case up == "ARRAY", up == "MAP":
		p.elementTypes(t, up, name)
	case up == "STRUCT":
		p.structType(t, name)
	case up == "INTERVAL":
		t.Name = "interval"
		p.intervalRange(start, t)
	default:
		t.Name = typeNames[up]
		p.primitiveType(t, name)
	}
	t.Span = p.from(start)
	return t
}

func (p *parser) elementTypes(t *TypeName, up string, name Ident) {
	t.Name = strings.ToLower(up)
	open := p.i
	if !p.op("<") {
		e := condition.New("INCOMPLETE_TYPE_DEFINITION." + up)
		if up == "ARRAY" {
			e = condition.New("INCOMPLETE_TYPE_DEFINITION.ARRAY", "elementType", "<INT>")
		}
		p.report(name.Span, e)
		return
	}
	t.Args = append(t.Args, p.dataType())
	if up == "MAP" {
		if !p.isOp(",") {
			p.i = open // without a comma the type ends before its bracket
			p.expected(")", true)
		}
		p.i++
		t.Args = append(t.Args, p.dataType())
	}
	p.closeAngle()
}

func (p *parser) structType(t *TypeName, name Ident) {
	t.Name = "struct"
	if p.op("<>") {
		return
	}
	if !p.op("<") {
		p.report(name.Span, condition.New("INCOMPLETE_TYPE_DEFINITION.STRUCT"))
		return
	}
	if !p.isOp(">") {
		t.Fields = list(p, p.typeField)
	}
	p.closeAngle()
}

// closeAngle takes one '>' off an operator that starts with it.
func (p *parser) closeAngle() {
	t := p.cur()
	if t.kind == tokOp && len(t.text) > 1 && t.text[0] == '>' {
		t.text = t.text[1:]
		t.Start++
		return
	}
	p.need(">")
}

// typeField takes name[:] type [NOT NULL] [COMMENT 'text'].
func (p *parser) typeField() *TypeField {
	start := p.cur().Start
	f := &TypeField{Name: p.ident()}
	p.op(":")
	f.Type = p.dataType()
	if p.is("NOT") || p.isOp("!") {
		p.advance()
		p.needKw("NULL")
		f.NotNull = true
	}
	if p.kw("COMMENT") {
		f.Comment = p.stringLit().Text
	}
	f.Span = p.from(start)
	return f
}

var intervalRanges = map[string]string{
	"YEAR": "MONTH", "MONTH": "MONTH", "DAY": "HOUR MINUTE SECOND", "HOUR": "HOUR MINUTE SECOND",
	"MINUTE": "HOUR MINUTE SECOND", "SECOND": "HOUR MINUTE SECOND",
}

// intervalRange takes the unit or units of an interval type; a bare INTERVAL is
// the calendar interval.
func (p *parser) intervalRange(start int, t *TypeName) {
	to, ok := intervalRanges[p.cur().up]
	if !ok || p.cur().kind != tokIdent {
		return
	}
	from := p.advance()
	t.From, t.To = strings.ToLower(from.up), strings.ToLower(from.up)
	if !p.is("TO") {
		return
	}
	p.i++
	unit := p.cur()
	if unit.kind != tokIdent || !strings.Contains(" "+to+" ", " "+unit.up+" ") {
		p.fail()
	}
	p.i++
	t.To = strings.ToLower(unit.up)
	if !fromTo[from.up+" "+unit.up] {
		p.report(p.from(start), condition.New("INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
			"input", "", "from", t.From, "to", t.To))
	}
}

func (p *parser) primitiveType(t *TypeName, name Ident) {
	var params []int
	if p.isOp("(") && (p.at(1).kind == tokNumber || t.Name == "") {
		params = parens(p, p.integer)
	}
	t.Params = params
	if t.Name == "" || len(params) > typeParams[t.Name] {
		p.unsupportedType(name, params)
		return
	}
	switch t.Name {
	case "char", "varchar":
		if len(params) == 0 {
			p.report(name.Span, condition.New("DATATYPE_MISSING_SIZE", "type", `"`+strings.ToUpper(name.Name)+`"`))
		}
	case "decimal":
		if len(params) > 0 && params[0] > maxPrecision {
			p.report(p.from(name.Start), condition.New("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
				"precision", params[0], "maxPrecision", maxPrecision))
		}
		if len(params) == 2 && params[1] > params[0] {
			p.report(p.from(name.Start), condition.New("DECIMAL_SCALE_EXCEEDS_PRECISION",
				"precision", params[0], "scale", params[1]))
		}
	case "timestamp":
		switch {
		case p.kw("WITHOUT", "TIME", "ZONE"):
			t.Name = "timestamp_ntz"
		case p.kw("WITH", "LOCAL", "TIME", "ZONE"):
			t.Name = "timestamp_ltz"
		}
	case "time":
		p.kw("WITHOUT", "TIME", "ZONE")
	}
	if (t.Name == "string" || t.Name == "char" || t.Name == "varchar") && p.is("COLLATE") && p.isIdent(1) {
		p.collatedType(t)
	}
}

// collatedType takes the collation of a string type. Only the default one, which
// compares bytes, is a type here.
func (p *parser) collatedType(t *TypeName) {
	start := p.advance().Start
	parts := p.multipart()
	last := parts[len(parts)-1]
	if !strings.EqualFold(last.Name, "UTF8_BINARY") {
		p.report(p.from(start), condition.New("UNSUPPORTED_DATATYPE",
			"typeName", `"`+strings.ToUpper(t.Name)+" COLLATE "+last.Name+`"`).WithHint("only UTF8_BINARY strings are supported"))
	}
}

func (p *parser) unsupportedType(name Ident, params []int) {
	text := strings.ToUpper(name.Name)
	if len(params) > 0 {
		s := make([]string, len(params))
		for i, n := range params {
			s[i] = strconv.Itoa(n)
		}
		text += "(" + strings.Join(s, ",") + ")"
	}
	p.report(p.from(name.Start), condition.New("UNSUPPORTED_DATATYPE", "typeName", `"`+text+`"`))
}

// integer takes an integer literal without a suffix.
func (p *parser) integer() int {
	t := p.cur()
	if t.kind != tokNumber || t.num != "integer" {
		p.fail()
	}
	n, err := strconv.ParseInt(t.text, 10, 32)
	if err != nil {
		p.report(t.Span, condition.New("INVALID_NUMERIC_LITERAL_RANGE", "rawStrippedQualifier", t.text,
			"minValue", "-2147483648", "maxValue", "2147483647", "typeName", "int"))
	}
	p.i++
	return int(n)
}
