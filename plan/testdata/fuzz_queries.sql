SELECT a + 1, b || 'x', d * 2.5, ts + INTERVAL 1 DAY, l[0], m['k'], st.x FROM t WHERE a > 1 AND b LIKE 'x%'
SELECT DISTINCT a FROM t ORDER BY a DESC NULLS FIRST LIMIT 3 OFFSET 1
SELECT a AS x, x + 1 AS y, count(*), sum(d) FILTER (WHERE a > 1) FROM t GROUP BY ALL HAVING y > 1
SELECT a, b, sum(d), grouping(a) FROM t GROUP BY ROLLUP (a, b)
SELECT a, b, sum(d) FROM t GROUP BY GROUPING SETS ((a), (b), ())
SELECT x.a, y.b FROM t x LEFT JOIN t y ON x.a = y.a AND x.d < y.d
SELECT * FROM t x JOIN t y USING (a) FULL JOIN v USING (a)
SELECT * EXCEPT (st.x) FROM t NATURAL JOIN v
SELECT a FROM t UNION SELECT n FROM v EXCEPT ALL SELECT 1 INTERSECT SELECT 2
SELECT a FROM t WHERE a IN (SELECT a FROM v) OR EXISTS (SELECT 1 FROM v WHERE v.a = t.a)
SELECT a, (SELECT max(n) FROM v WHERE v.a = t.a) FROM t WHERE NOT a IN (SELECT n FROM v)
SELECT a, row_number() OVER (PARTITION BY b ORDER BY a) rn, lag(a, 1, 0) OVER w FROM t WINDOW w AS (ORDER BY ts) QUALIFY rn = 1
SELECT sum(a) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM t
SELECT a, x FROM t LATERAL VIEW OUTER explode(l) e AS x
SELECT a, x FROM t, LATERAL explode(l) AS e(x), LATERAL (SELECT x + 1 AS y)
SELECT explode(m) AS (k, v), a FROM t
SELECT transform(l, x -> x + a), aggregate(l, 0, (p, x) -> p + x), filter(l, (x, i) -> i > 0) FROM t
SELECT * FROM (SELECT a, b, d FROM t) PIVOT (sum(d) AS s FOR b IN ('x', 'y' AS z))
SELECT * FROM (SELECT a, d FROM t) UNPIVOT INCLUDE NULLS (v FOR k IN (a, d AS e))
WITH c AS (SELECT a FROM t), e(x) AS (SELECT a + 1 FROM c) SELECT * FROM e, range(1, 5) r
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r
FROM t |> WHERE a > 1 |> EXTEND a + 1 AS x |> AGGREGATE sum(x) AS s GROUP BY b |> ORDER BY s |> LIMIT 2
FROM t |> SET a = 1 |> DROP b |> AS z |> JOIN v ON z.a = v.a |> SELECT z.a, n
SELECT window(ts, '10 minutes').start, count(*) FROM s WATERMARK ts DELAY OF INTERVAL 1 HOUR GROUP BY window(ts, '10 minutes')
SELECT session_window.end, b, count(*) FROM s WATERMARK ts DELAY OF INTERVAL 1 HOUR GROUP BY session_window(ts, '5 minutes'), b
SELECT x.a FROM STREAM s WATERMARK ts DELAY OF INTERVAL 1 HOUR AS x JOIN t ON x.a = t.a
SELECT a, CASE WHEN a > 1 THEN 'x' ELSE b END, CAST(b AS INT), TRY_CAST(b AS DATE), b::DOUBLE FROM s
SELECT 0x1F, X'1F', 1e3, 1.5BD, 1Y, DATE '2024-01-01', INTERVAL '1-2' YEAR TO MONTH, TIMESTAMP '2024-01-01 00:00:00', r'\x'
SELECT named_struct('x', a).x, struct(a, b), array(a, 1)[0], map(b, a)[b], from_json(b, 'a INT, b ARRAY<STRING>') FROM t
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d), listagg(b, ',') WITHIN GROUP (ORDER BY a), first(a, true) FROM t
SELECT nosuch, aa, t.zz, st.zz, f(a), sum(sum(a)), l.x, a.b FROM t
VALUES (1, 'a', NULL), (2.5, 'b', TRUE)
SELECT a, b COLLATE UTF8_BINARY FROM t TABLESAMPLE (10 PERCENT) WHERE b IS DISTINCT FROM 'x' AND a BETWEEN 1 AND 2
SELECT IDENTIFIER('a'), extract(YEAR FROM ts), substring(b FROM 1 FOR 2), position('a' IN b) FROM IDENTIFIER('t')
