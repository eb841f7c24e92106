SELECT * FROM a LEFT SEMI JOIN b ON a.x = b.x
SELECT * FROM a JOIN b APPROX NEAREST 5 BY DISTANCE f(a.x, b.x)
SELECT * FROM a, LATERAL (SELECT a.x) l
SELECT * FROM t LATERAL VIEW OUTER explode(a) x AS y LATERAL VIEW explode(b) z
SELECT * FROM t LATERAL VIEW explode(a) AS y
SELECT * FROM t LATERAL VIEW explode(a) tt y, z
SELECT * FROM t UNPIVOT INCLUDE NULLS (v FOR n IN (a AS x, b)) AS u
SELECT * FROM t UNPIVOT ((v1, v2) FOR n IN ((a, b) AS x, (c, d)))
SELECT * FROM t PIVOT (sum(a) AS s, max(b) FOR (c, d) IN ((1, 2) AS x, (3, 4)))
SELECT * FROM t PIVOT (sum(a) FOR b IN (1)) p JOIN u ON p.x = u.x
SELECT a, sum(b) FROM t GROUP BY a WITH ROLLUP
SELECT a, sum(b) FROM t GROUP BY a, c GROUPING SETS ((a), (a, c), ())
SELECT a FROM t GROUP BY GROUPING SETS (ROLLUP (a, b), CUBE (c), (d))
SELECT a FROM t GROUP BY ALL HAVING count(*) > 1
SELECT a FROM t GROUP BY a ORDER BY ALL
SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4 MINUS SELECT 5
(SELECT 1) UNION (SELECT 2 ORDER BY 1 LIMIT 1) LIMIT 3
((SELECT 1) UNION SELECT 2)
SELECT (SELECT 1), ((SELECT 2)), ((SELECT 1) + 1), ((SELECT 1) UNION SELECT 2)
SELECT * FROM ((SELECT 1 a) x JOIN (SELECT 2 b) y)
SELECT * FROM ((SELECT 1) UNION (SELECT 2)) q
SELECT * FROM (((t)))
SELECT * FROM (t JOIN u) AS v (a, b)
VALUES (1, 'a'), (2, 'b') AS t(a, b)
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(a, b) WHERE a > 1
SELECT * FROM VALUES 1, 2 t
TABLE t
TABLE t UNION TABLE u
FROM t SELECT a WHERE b > 1
FROM t SELECT a SELECT b
FROM t
FROM STREAM t WATERMARK ts DELAY OF INTERVAL 10 SECONDS SELECT a
SELECT * FROM STREAM(t) WATERMARK ts AS x DELAY OF INTERVAL '1' HOUR AS s
SELECT * FROM STREAM t AS s
SELECT * FROM stream
SELECT * FROM stream WHERE a > 1
SELECT * FROM t WITH (a = 'b', `c.d` 1) AS x
SELECT * FROM t VERSION AS OF 3
SELECT * FROM t TABLESAMPLE (10 PERCENT) REPEATABLE (3) x
SELECT * FROM t TABLESAMPLE (5 ROWS)
SELECT * FROM t TABLESAMPLE (BUCKET 1 OUT OF 4)
SELECT * FROM range(10) AS r(x)
SELECT * FROM f(TABLE(t) PARTITION BY a ORDER BY b, x => 1)
SELECT * FROM UNNEST(array(1)) WITH ORDINALITY AS u(a, b)
SELECT /*+ BROADCAST(a), SHUFFLE_HASH(b) REPARTITION(3, c) */ * FROM a
SELECT transform(a, x -> x + 1), reduce(a, 0, (x, y) -> x + y, z -> z)
SELECT * EXCEPT (a, b.c), t.* EXCEPT (d) FROM t
SELECT x IS NOT DISTINCT FROM y, x IS NOT TRUE, x IS UNKNOWN
SELECT x NOT LIKE ALL ('a', 'b'), x ILIKE SOME ('c'), x RLIKE 'a', x REGEXP 'b', x NOT LIKE 'a' ESCAPE '!'
SELECT x NOT BETWEEN 1 AND 2 AND y NOT IN (1, 2) OR NOT z
SELECT a = b = c, a < b AND c
SELECT - - 1, ~a, !b, -a.b[1].c::int
SELECT f(DISTINCT a), count(ALL b), f(a => 1, b => x -> x)
SELECT first(a IGNORE NULLS), first(a) IGNORE NULLS OVER (ORDER BY b), lag(a, 1) RESPECT NULLS OVER w
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC NULLS LAST) FILTER (WHERE b) OVER (PARTITION BY c)
SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND UNBOUNDED FOLLOWING)
SELECT sum(a) OVER (w), sum(b) OVER w, sum(c) OVER (CLUSTER BY d ROWS 2 PRECEDING)
SELECT extract(YEAR FROM d), extract(d), trim(LEADING FROM x), trim(x), trim('a' FROM x), trim(BOTH FROM x)
SELECT position('a' IN b), position('a', b), position(a IN (1, 2)), substring(a FROM 1 FOR 2), substr(a, 1, 2), substring(a, 1 FOR 2), overlay(a PLACING b FROM 1 FOR 2), overlay(a, b, 1)
SELECT timestampadd(DAY, 1, x), date_add(x, 1), dateadd(MONTH, 1, x), datediff(x, y), timestampdiff(SECOND, a, b)
SELECT current_date, current_timestamp(), current_user, user, session_user, current_time, localtime
SELECT INTERVAL 1 DAY 2 HOURS, INTERVAL -1 MONTH, INTERVAL '-1-2' YEAR TO MONTH, INTERVAL -'1' DAY, INTERVAL '1 day 2 hours', interval, INTERVAL + 1 DAY
SELECT a.`b c`.d, `a.b`, t.1a, 1a.b
SELECT DATE '2020-01-01', TIMESTAMP_NTZ '2020-01-01', x'1F', TIME '10:00:00'
SELECT CAST(a AS ARRAY<STRUCT<a: INT, b: MAP<STRING, ARRAY<INT>>>>), b >> 1, c >>> 2
SELECT CAST(a AS INTERVAL DAY TO SECOND), CAST(a AS STRUCT<>), CAST(b AS TIMESTAMP WITHOUT TIME ZONE), CAST(c AS STRUCT<a INT NOT NULL COMMENT 'x'>)
SELECT EXISTS (SELECT 1), exists(a, x -> x), NOT EXISTS (SELECT 1)
SELECT a IN (SELECT 1), a IN ((SELECT 1)), (a, b) IN (SELECT 1, 2), a IN (VALUES 1)
WITH RECURSIVE r (n) MAX RECURSION LEVEL 10 AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r
WITH a (SELECT 1), b AS (SELECT 2) SELECT * FROM a, b
SELECT 1 LIMIT 1 OFFSET 2
SELECT a FROM t SORT BY a
SELECT a FROM t ORDER BY a DESC NULLS FIRST, b ASC LIMIT 10
SELECT inline(x) AS (a, b), stack(1, 2) (c, d)
SELECT a FROM t |> AGGREGATE GROUP BY c
SELECT IDENTIFIER('a.b') FROM IDENTIFIER('t')
SELECT 'a' 'b' "c", "d""e", 'f''g', r'\n'
SELECT 1 -- c
SELECT /* a /* b */ c */ 1
SELECT 1;;
SELECT 99999999999999999999, 1e10, 1.5BD, 1.5D, 1F, 12L, 3S, 4Y, .5e3, 1.e2
SELECT 1__2
SELECT a.b.c.*, a.*
SELECT a:b, a:b.c, a:['x'].y[0], a:b::int
SELECT date, timestamp, interval, time, x, values, table, year FROM t
SELECT key, value FROM date
SELECT left(a, 1), right(b, 2), filter(c, x -> x), if(a, b, c), first(a), array(1), map(1, 2), struct(1, 2), cast(a as int), values(1)
SELECT * FROM t x WHERE x.a NOT IN (SELECT b FROM u) QUALIFY row_number() OVER (ORDER BY a) = 1
SELECT a from, b where FROM t
SELECT * FROM t order
SELECT * FROM t limit
SELECT * FROM t WHERE (a) LIMIT 1
SELECT * FROM t WHERE (a) AND b
SELECT * FROM t WHERE (a, b) = (1, 2)
SELECT * FROM t HAVING (a)
SELECT * FROM t CROSS JOIN u NATURAL LEFT JOIN v
SELECT * FROM t JOIN u USING (a, b) JOIN v
SELECT * FROM t FULL OUTER JOIN u ON TRUE
SELECT CASE a WHEN 1 THEN 2 ELSE 3 END, CASE WHEN a THEN b END x
