// Package vstream is a stream processor with the semantics of Spark Structured
// Streaming: SQL over unbounded tables in exactly-once micro-batches, computed a
// column at a time.
//
// A Session holds configuration, named tables and running queries:
//
//	s, err := vstream.New()
//	flights, err := s.Read("csv").Option("path", "data/flights").Option("header", "true").
//		Schema("departed_at TIMESTAMP, dep_delay INT, origin STRING").Load()
//	flights, err = flights.WithWatermark("departed_at", "6 hours")
//	err = flights.View("flights")
//	hourly, err := s.SQL("SELECT window(departed_at, '1 hour') AS hour, origin, count(*) AS n FROM flights GROUP BY 1, 2")
//	q, err := hourly.Write().Format("parquet").Option("path", "out").Checkpoint("checkpoints/hourly").
//		Trigger(vstream.AvailableNow()).Start(ctx)
//	err = q.Wait(ctx)
//
// Sources, sinks and state stores register themselves when their package is
// imported; package drivers imports all that need no C library.
package vstream
