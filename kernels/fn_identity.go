package kernels

import "github.com/vstream/vstream/vector"

func init() {
	fixed := func(name, value, summary string, aliases ...string) Scalar {
		return Define(Scalar{
			Name: name, Aliases: aliases, Signature: name + "()", Summary: summary, Examples: []Example{{name + "()", value}},
		}, Sig{Result: vector.String}, func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return NewConst(vector.String, value).Value, nil
		})
	}
	Register(
		fixed("current_catalog", "spark_catalog", "The name of the catalog, which is always spark_catalog."),
		fixed("current_schema", "default", "The name of the schema, which is always default.", "current_database"),
		fixed("current_path", "system.builtin,system.session,spark_catalog.default", "Where the names of functions are looked up."),
		fixed("current_user", "vstream", "The user of the session, which is always vstream.", "user", "session_user"),
	)
}
