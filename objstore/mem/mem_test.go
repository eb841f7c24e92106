package mem_test

import (
	"context"
	"testing"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/objstore/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) objstore.Store { return mem.New() })
}

func TestSharedByName(t *testing.T) {
	ctx := context.Background()
	open := func(u string) objstore.Store {
		s, err := objstore.Open(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := open("mem://shared").Put(ctx, "x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if data, err := open("mem://shared").Get(ctx, "x"); err != nil || string(data) != "1" {
		t.Errorf("%q, %v", data, err)
	}
	if infos, err := open("mem://other").List(ctx, ""); err != nil || len(infos) != 0 {
		t.Errorf("%v, %v", infos, err)
	}
}

func TestClone(t *testing.T) {
	ctx := context.Background()
	s := mem.New()
	if err := s.Put(ctx, "x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	c := s.Clone()
	if err := s.Put(ctx, "x", []byte("2")); err != nil {
		t.Fatal(err)
	}
	if data, err := c.Get(ctx, "x"); err != nil || string(data) != "1" {
		t.Errorf("%q, %v", data, err)
	}
}
