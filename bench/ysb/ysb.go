// Package ysb generates the data of the Yahoo streaming benchmark: advertisement
// events as lines of JSON and the table of the campaigns that the advertisements
// belong to as Parquet, the same for the same seed.
//
// Event n happens at Base + n * 100 µs, without disorder. There are a thousand
// advertisements in a hundred campaigns, and a third of the events are views.
package ysb

import (
	"context"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/bench/dataset"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

const (
	base        = 1_767_225_600_000_000 // 2026-01-01T00:00:00Z in microseconds
	step        = 100                   // microseconds between two events
	ads         = 1000
	adsPer      = 10 // campaign
	flushBytes  = 1 << 20
	timePattern = "2006-01-02T15:04:05.000Z"
)

// Model has the tables ysb, of events, and ysb_campaigns.
var Model = dataset.Model{Name: "ysb/1", Cycle: 1, Tables: []dataset.Table{
	{Name: "ysb", Ext: "json", Write: writeEvents},
	{Name: "ysb_campaigns", Ext: "parquet", OneFile: true, Write: writeCampaigns},
}}

var (
	adTypes    = []string{"banner", "modal", "sponsored-search", "mail", "mobile"}
	eventTypes = []string{"view", "click", "purchase"}
)

// names are the identifiers that all files share.
type names struct{ ads, campaigns, users, pages []string }

func newNames() names {
	r := rand.New(rand.NewPCG(1, 1))
	uuids := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			var b [16]byte
			for j := range b {
				b[j] = byte(r.Uint32())
			}
			h := hex.EncodeToString(b[:])
			out[i] = h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
		}
		return out
	}
	return names{ads: uuids(ads), campaigns: uuids(ads / adsPer), users: uuids(100), pages: uuids(100)}
}

func writeEvents(ctx context.Context, w io.Writer, r *rand.Rand, first, end int64) error {
	n := newNames()
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	line := make([]byte, 0, flushBytes+1024)
	for e := first; e < end; e++ {
		line = append(append(line, `{"user_id":"`...), pick(n.users)...)
		line = append(append(line, `","page_id":"`...), pick(n.pages)...)
		line = append(append(line, `","ad_id":"`...), pick(n.ads)...)
		line = append(append(line, `","ad_type":"`...), pick(adTypes)...)
		line = append(append(line, `","event_type":"`...), pick(eventTypes)...)
		line = time.UnixMicro(base+e*step).UTC().AppendFormat(append(line, `","event_time":"`...), timePattern)
		line = strconv.AppendInt(append(line, `","ip_address":"`...), 1+r.Int64N(254), 10)
		line = strconv.AppendInt(append(line, '.'), r.Int64N(255), 10)
		line = append(line, ".3.4\"}\n"...)
		if len(line) < flushBytes && e+1 < end {
			continue
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

func writeCampaigns(_ context.Context, w io.Writer, _ *rand.Rand, _, _ int64) error {
	s := vector.NewSchema(vector.Field{Name: "c_ad_id", Type: vector.String, Nullable: true},
		vector.Field{Name: "campaign_id", Type: vector.String, Nullable: true})
	out, err := parquet.NewWriter(w, s, parquet.WriteOptions{})
	if err != nil {
		return err
	}
	n := newNames()
	of := make([]string, ads)
	for i := range of {
		of[i] = n.campaigns[i/adsPer]
	}
	if err := out.Write(vector.NewBatch(s, []arrow.Array{column(n.ads), column(of)}, ads)); err != nil {
		return err
	}
	return out.Close()
}

func column(values []string) arrow.Array {
	off, data := []int32{0}, []byte{}
	for _, v := range values {
		data = append(data, v...)
		off = append(off, int32(len(data)))
	}
	return vector.NewString(vector.String, off, data, nil)
}
