package stream

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vstream/vstream/source"
)

// Progress is what one micro-batch did, with the fields of Spark's
// StreamingQueryProgress; its JSON form is Spark's, too.
type Progress struct {
	ID                     string            `json:"id"`
	RunID                  string            `json:"runId"`
	Name                   string            `json:"name,omitempty"`
	Timestamp              string            `json:"timestamp"` // start of the trigger, ISO 8601, UTC
	BatchID                int64             `json:"batchId"`
	BatchDuration          int64             `json:"batchDuration"` // milliseconds
	NumInputRows           int64             `json:"numInputRows"`
	InputRowsPerSecond     float64           `json:"inputRowsPerSecond"`
	ProcessedRowsPerSecond float64           `json:"processedRowsPerSecond"`
	DurationMs             map[string]int64  `json:"durationMs"`
	EventTime              map[string]string `json:"eventTime,omitempty"` // max, min, avg, watermark
	StateOperators         []StateProgress   `json:"stateOperators"`
	Sources                []SourceProgress  `json:"sources"`
	Sink                   SinkProgress      `json:"sink"`
	LateSink               *SinkProgress     `json:"lateSink,omitempty"` // of a query that has one; ours
}

// StateProgress are the counters of one stateful operator in one micro-batch
// (Spark's StateOperatorProgress). LateRows and NullTimeRows are ours: exact counts of input rows.
type StateProgress struct {
	OperatorName              string           `json:"operatorName"`
	NumRowsTotal              int64            `json:"numRowsTotal"`
	NumRowsUpdated            int64            `json:"numRowsUpdated"`
	NumRowsRemoved            int64            `json:"numRowsRemoved"`
	CommitTimeMs              int64            `json:"commitTimeMs"`
	MemoryUsedBytes           int64            `json:"memoryUsedBytes"`
	NumRowsDroppedByWatermark int64            `json:"numRowsDroppedByWatermark"`
	NumShufflePartitions      int              `json:"numShufflePartitions"`
	NumStateStoreInstances    int              `json:"numStateStoreInstances"`
	CustomMetrics             map[string]int64 `json:"customMetrics"`
	LateRows                  int64            `json:"-"`
	NullTimeRows              int64            `json:"-"`
}

// SourceProgress is one source's part (Spark's SourceProgress).
type SourceProgress struct {
	Description            string            `json:"description"`
	StartOffset            json.RawMessage   `json:"startOffset"`
	EndOffset              json.RawMessage   `json:"endOffset"`
	LatestOffset           json.RawMessage   `json:"latestOffset"`
	NumInputRows           int64             `json:"numInputRows"`
	InputRowsPerSecond     float64           `json:"inputRowsPerSecond"`
	ProcessedRowsPerSecond float64           `json:"processedRowsPerSecond"`
	Metrics                map[string]string `json:"metrics,omitempty"`
}

// SinkProgress is the sink's part (Spark's SinkProgress).
type SinkProgress struct {
	Description   string `json:"description"`
	NumOutputRows int64  `json:"numOutputRows"`
}

// keptProgress is spark.sql.streaming.numRecentProgressUpdates.
const keptProgress = 100

// report makes the progress event of a finished batch.
func (e *Execution) report(m *microBatch) {
	now := e.cfg.Clock.Now()
	took := now.Sub(m.began)
	m.millis["triggerExecution"] = took.Milliseconds()
	if e.controlMillis > 0 {
		m.millis["controlBatch.REPARTITION"], e.controlMillis = e.controlMillis, 0
	}
	p := &Progress{
		ID: e.id, RunID: e.runID, Name: e.cfg.Name, BatchID: m.id,
		Timestamp: isoMillis(m.began.UnixMilli()), BatchDuration: took.Milliseconds(), DurationMs: m.millis,
		Sink:           SinkProgress{Description: e.cfg.Sink.Describe(), NumOutputRows: m.result.OutputRows},
		StateOperators: []StateProgress{},
	}
	if e.cfg.Late != nil {
		p.LateSink = &SinkProgress{Description: e.cfg.Late.Describe(), NumOutputRows: m.result.LostRows}
	}
	for i, s := range e.sources {
		sp := SourceProgress{Description: s.Describe(), StartOffset: rawOffset(e.start[i]), EndOffset: rawOffset(m.end[i]), LatestOffset: rawOffset(m.end[i]), NumInputRows: m.rows[i]}
		if b, ok := s.(source.Backlogger); ok {
			if latest := b.LatestAvailable(); latest != "" {
				sp.LatestOffset = rawOffset(latest)
			}
			sp.Metrics = b.Metrics(m.end[i])
		}
		sp.ProcessedRowsPerSecond = perSecond(sp.NumInputRows, took)
		p.NumInputRows += sp.NumInputRows
		p.Sources = append(p.Sources, sp)
	}
	p.ProcessedRowsPerSecond = perSecond(p.NumInputRows, took)
	e.mu.Lock()
	if n := len(e.progress); n > 0 {
		if last, err := time.Parse(isoLayout, e.progress[n-1].Timestamp); err == nil {
			p.InputRowsPerSecond = perSecond(p.NumInputRows, m.began.Sub(last))
		}
	}
	e.mu.Unlock()
	if e.tracker.Defined() {
		p.EventTime = map[string]string{"watermark": isoMillis(m.entry.WatermarkMs)}
		for _, s := range m.result.EventTime {
			p.EventTime["max"], p.EventTime["min"] = isoMillis(s.Max), isoMillis(s.Min)
			p.EventTime["avg"] = isoMillis(s.Sum / s.Count)
		}
	}
	for id, o := range m.result.Operators {
		op := e.plan.Operators[id]
		custom := map[string]int64{"numLateInputRows": o.LateRows, "numNullEventTimeRows": o.NullTimeRows}
		if strings.HasPrefix(op.Name, "dedupe") {
			custom["numDroppedDuplicateRows"] = o.DuplicateRows
		}
		p.StateOperators = append(p.StateOperators, StateProgress{
			OperatorName: op.Name, NumRowsTotal: o.NumRowsTotal, NumRowsUpdated: o.NumRowsUpdated, NumRowsRemoved: o.NumRowsRemoved,
			NumRowsDroppedByWatermark: o.NumRowsDroppedByWatermark, MemoryUsedBytes: o.MemoryBytes,
			NumShufflePartitions: op.Partitions, NumStateStoreInstances: op.Partitions, LateRows: o.LateRows, NullTimeRows: o.NullTimeRows,
			CustomMetrics: custom,
		})
	}
	e.mu.Lock()
	e.progress = append(e.progress, p)
	if n := len(e.progress); n > keptProgress {
		e.progress = e.progress[n-keptProgress:]
	}
	e.changed.Broadcast()
	e.mu.Unlock()
	if e.cfg.Listener != nil {
		e.cfg.Listener.Progress(p)
	}
}

// RecentProgress are the last micro-batches of this run, oldest first.
func (e *Execution) RecentProgress() []*Progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Progress(nil), e.progress...)
}

const isoLayout = "2006-01-02T15:04:05.000Z"

func isoMillis(ms int64) string { return time.UnixMilli(ms).UTC().Format(isoLayout) }

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Summary is the one-line form for terminals.
func (p *Progress) Summary() string {
	s := fmt.Sprintf("batch %d: %d rows in, %d out, %d ms", p.BatchID, p.NumInputRows, p.Sink.NumOutputRows, p.BatchDuration)
	if w, ok := p.EventTime["watermark"]; ok {
		s += ", watermark " + w
	}
	late := int64(0)
	for _, o := range p.StateOperators {
		late += o.LateRows
	}
	if late > 0 {
		s += fmt.Sprintf(", %d late rows dropped", late)
	}
	return s
}
