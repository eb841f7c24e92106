package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/durable"
	"github.com/vstream/vstream/statestore/storetest"
)

// tierOf is the tier of the stores that the driver "faultytier" opens.
var tierOf atomic.Pointer[storetest.FaultyTier]

func init() { statestore.Register(faultyDriver{}, "faultytier") }

// faultyDriver writes the files of every driver and has a tier that tests make fail.
type faultyDriver struct{}

func (faultyDriver) Open(ctx context.Context, dir objstore.Store, conf map[string]string) (statestore.Store, error) {
	s, err := durable.Open(ctx, dir, conf)
	return tieredStore{s}, err
}

type tieredStore struct{ statestore.Store }

func (tieredStore) Tier() statestore.Tier { return tierOf.Load() }

// TestTierFails lets calls of the tier beneath the operators' tables fail: the query ends with that error,
// and the next run goes on from the checkpoint, which the tier is no part of.
func TestTierFails(t *testing.T) {
	run := func(job, dir string, fail func(n int, op string) error) (*storetest.FaultyTier, error) {
		tier := &storetest.FaultyTier{Tier: &storetest.NaiveTier{Keep: 1 << 14}, Fail: fail}
		tierOf.Store(tier)
		return tier, runFlights(job, dir, nil, vstream.WithConf("spark.sql.streaming.stateStore.providerClass", "faultytier"),
			vstream.WithLogger(slog.New(slog.DiscardHandler)))
	}
	for _, job := range []string{"many", "csv", "many" + withAsync} {
		want := undisturbed(t, job)
		dir := t.TempDir()
		tier, err := run(job, dir, nil)
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		compare(t, want, readOutcome(t, job, dir))
		calls := tier.Calls()
		if calls < 20 {
			t.Fatalf("%s: the tier was called only %d times", job, calls)
		}
		times := 10
		if testing.Short() {
			times = 2
		}
		for i := range times {
			at, failed := 1+i*calls/times, ""
			dir := t.TempDir()
			_, err := run(job, dir, func(n int, op string) error {
				if n < at {
					return nil
				}
				failed = op
				return condition.IO(syscall.EIO, "write", "the tier")
			})
			where := fmt.Sprintf("%s, call %d of %d (%s)", job, at, calls, failed)
			if !errors.Is(err, condition.Name("VSTREAM_IO")) {
				t.Errorf("%s: the query ended with %v", where, err)
			}
			if _, err := run(job, dir, nil); err != nil {
				t.Errorf("%s: the next run ended with %s", where, condition.Render(err))
				continue
			}
			t.Run(where, func(t *testing.T) { compare(t, want, readOutcome(t, job, dir)) })
		}
	}
}
