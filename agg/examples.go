package agg

import "github.com/vstream/vstream/kernels"

// examples are those of families that are registered together, by name; Register adds
// them. The results are Spark's.
var examples = map[string][]kernels.Example{
	"corr":           {{SQL: "SELECT corr(x, y) FROM VALUES (3, 2), (3, 3), (6, 4) AS t(x, y)", Want: "0.8660254037844387"}},
	"covar_pop":      {{SQL: "SELECT covar_pop(x, y) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(x, y)", Want: "0.6666666666666666"}},
	"covar_samp":     {{SQL: "SELECT covar_samp(x, y) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(x, y)", Want: "1.0"}},
	"regr_avgx":      {{SQL: "SELECT regr_avgx(y, x) FROM VALUES (1, 2), (2, 3) AS t(y, x)", Want: "2.5"}},
	"regr_avgy":      {{SQL: "SELECT regr_avgy(y, x) FROM VALUES (1, 2), (2, 3) AS t(y, x)", Want: "1.5"}},
	"regr_count":     {{SQL: "SELECT regr_count(y, x) FROM VALUES (1, 2), (2, NULL) AS t(y, x)", Want: "1"}},
	"regr_intercept": {{SQL: "SELECT regr_intercept(y, x) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(y, x)", Want: "0.0"}},
	"regr_r2":        {{SQL: "SELECT regr_r2(y, x) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(y, x)", Want: "1.0"}},
	"regr_slope":     {{SQL: "SELECT regr_slope(y, x) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(y, x)", Want: "1.0"}},
	"regr_sxx":       {{SQL: "SELECT regr_sxx(y, x) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(y, x)", Want: "2.0"}},
	"regr_sxy":       {{SQL: "SELECT regr_sxy(y, x) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(y, x)", Want: "2.0"}},
	"regr_syy":       {{SQL: "SELECT regr_syy(y, x) FROM VALUES (1, 1), (2, 2), (3, 3) AS t(y, x)", Want: "2.0"}},
}
