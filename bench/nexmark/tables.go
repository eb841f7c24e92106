package nexmark

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func schema(fields ...any) *vector.Schema {
	s := &vector.Schema{}
	for i := 0; i < len(fields); i += 2 {
		s.Fields = append(s.Fields, vector.Field{Name: fields[i].(string), Type: fields[i+1].(*vector.Type), Nullable: true})
	}
	return s
}

var (
	bidSchema = schema("auction", vector.Long, "bidder", vector.Long, "price", vector.Long, "channel", vector.String, "url", vector.String,
		"dateTime", vector.Timestamp, "extra", vector.String, "k1m", vector.Long, "k5m", vector.Long, "bid_id", vector.Long)
	auctionSchema = schema("id", vector.Long, "itemName", vector.String, "description", vector.String, "initialBid", vector.Long, "reserve", vector.Long,
		"dateTime", vector.Timestamp, "expires", vector.Timestamp, "seller", vector.Long, "category", vector.Long, "extra", vector.String)
	personSchema = schema("id", vector.Long, "name", vector.String, "emailAddress", vector.String, "creditCard", vector.String,
		"city", vector.String, "state", vector.String, "dateTime", vector.Timestamp, "extra", vector.String)
)

var (
	firstNames = []string{"Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"}
	lastNames  = []string{"Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"}
	cities     = []string{"Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"}
	states     = []string{"AZ", "CA", "ID", "OR", "WA", "WY"}
	channels   = []string{"Google", "Facebook", "Baidu", "Apple"}
)

// lastAuction numbers the newest auction at event n.
func lastAuction(n int64) int64 {
	e, o := n/cycle, n%cycle
	switch {
	case o < 1:
		return e*auctions - 1
	case o <= auctions:
		return e*auctions + o - 1
	}
	return e*auctions + auctions - 1
}

// person picks a bidder or seller at event n: one in ratio is uniform over the last
// thousand (and ten yet to come), the others are the hot one of the last hundred.
func person(r *rand.Rand, n int64, ratio int, hotOffset int64) int64 {
	last := n / cycle
	if r.IntN(ratio) > 0 {
		return firstID + last/100*100 + hotOffset
	}
	active := min(last+1, 1000)
	return firstID + last + 1 - active + r.Int64N(active+10)
}

func price(r *rand.Rand) int64 { return int64(math.Round(math.Pow(10, r.Float64()*6) * 100)) }

func eventTime(r *rand.Rand, n int64) int64 { return base + n*step - r.Int64N(disorder) }

// text builds a string column.
type text struct {
	off  []int32
	data []byte
}

func newText(rows, width int) *text {
	return &text{off: append(make([]int32, 0, rows+1), 0), data: make([]byte, 0, rows*width)}
}

// letters appends n random letters to the value being built.
func (t *text) letters(r *rand.Rand, n int) *text {
	const perDraw = 13 // 26^13 < 2^64
	for n > 0 {
		x := r.Uint64()
		for range min(n, perDraw) {
			t.data = append(t.data, 'a'+byte(x%26))
			x /= 26
		}
		n -= min(n, perDraw)
	}
	return t
}

func (t *text) add(s string) *text {
	t.data = append(t.data, s...)
	return t
}

func (t *text) number(n int64) *text {
	t.data = strconv.AppendInt(t.data, n, 10)
	return t
}

func (t *text) pick(r *rand.Rand, of []string) *text { return t.add(of[r.IntN(len(of))]) }

// end ends the value.
func (t *text) end() { t.off = append(t.off, int32(len(t.data))) }

func (t *text) column() arrow.Array { return vector.NewString(vector.String, t.off, t.data, nil) }

func longs(v []int64) arrow.Array { return vector.NewFixed(vector.Long, v, nil) }

func times(v []int64) arrow.Array { return vector.NewFixed(vector.Timestamp, v, nil) }

func bidRows(r *rand.Rand, first, lo, hi int64) *vector.Batch {
	rows := int((hi - lo) / cycle * bids)
	var auction, bidder, amount, at, k1m, k5m, id = make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows),
		make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows)
	channel, url, extra := newText(rows, 12), newText(rows, 70), newText(rows, 16)
	for n := lo; n < hi; n++ {
		if n%cycle <= auctions {
			continue
		}
		last := lastAuction(n)
		if r.IntN(2) > 0 {
			auction = append(auction, firstID+last/100*100)
		} else {
			oldest := max(last-100, 0)
			auction = append(auction, firstID+oldest+r.Int64N(last-oldest+11))
		}
		bidder = append(bidder, person(r, n, 4, 1))
		amount = append(amount, price(r))
		hot, number := r.IntN(2) > 0, r.Int64N(10_000)
		if hot {
			channel.pick(r, channels).end()
		} else {
			channel.add("channel-").number(number).end()
		}
		url.add("https://www.nexmark.com/").letters(r, 8).add("/item.htm?query=1&channel_id=").number(number).end()
		at = append(at, eventTime(r, n))
		extra.letters(r, 16).end()
		k1m, k5m = append(k1m, r.Int64N(1_000_000)), append(k5m, r.Int64N(5_000_000))
		source := n
		if r.Float64() < 0.05 {
			source = bidEvent(first, max(bidRow(first, n)-1-r.Int64N(29_999), 0))
		}
		id = append(id, source)
	}
	return vector.NewBatch(bidSchema, []arrow.Array{longs(auction), longs(bidder), longs(amount), channel.column(), url.column(),
		times(at), extra.column(), longs(k1m), longs(k5m), longs(id)}, rows)
}

// bidRow numbers the bid of event n within its file; bidEvent is the inverse.
func bidRow(first, n int64) int64 { return (n-first)/cycle*bids + n%cycle - 1 - auctions }

func bidEvent(first, row int64) int64 { return first + row/bids*cycle + row%bids + 1 + auctions }

func auctionRows(r *rand.Rand, _, lo, hi int64) *vector.Batch {
	// An auction lives about as long as it takes for a hundred newer ones to begin.
	const life = 100 * cycle / auctions * step / 1000 // milliseconds
	rows := int((hi - lo) / cycle * auctions)
	var id, initial, reserve, at, expires, seller, category = make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows),
		make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows), make([]int64, 0, rows)
	item, description, extra := newText(rows, 20), newText(rows, 100), newText(rows, 200)
	for n := lo; n < hi; n++ {
		if o := n % cycle; o < 1 || o > auctions {
			continue
		}
		id = append(id, firstID+lastAuction(n))
		item.letters(r, 20).end()
		description.letters(r, 100).end()
		first := price(r)
		initial, reserve = append(initial, first), append(reserve, first+price(r))
		begin := eventTime(r, n)
		at, expires = append(at, begin), append(expires, begin+(1000+r.Int64N(2*life))*1000)
		seller, category = append(seller, person(r, n, 4, 0)), append(category, 10+r.Int64N(5))
		extra.letters(r, 200).end()
	}
	return vector.NewBatch(auctionSchema, []arrow.Array{longs(id), item.column(), description.column(), longs(initial), longs(reserve),
		times(at), times(expires), longs(seller), longs(category), extra.column()}, rows)
}

func personRows(r *rand.Rand, _, lo, hi int64) *vector.Batch {
	rows := int((hi - lo) / cycle)
	id, at := make([]int64, 0, rows), make([]int64, 0, rows)
	name, email, card := newText(rows, 12), newText(rows, 17), newText(rows, 19)
	city, state, extra := newText(rows, 10), newText(rows, 2), newText(rows, 100)
	for n := lo; n < hi; n += cycle {
		id = append(id, firstID+n/cycle)
		name.pick(r, firstNames).add(" ").pick(r, lastNames).end()
		email.letters(r, 7).add("@").letters(r, 5).add(".com").end()
		for i := range 4 {
			if i > 0 {
				card.add(" ")
			}
			card.number(1000 + r.Int64N(8999))
		}
		card.end()
		city.pick(r, cities).end()
		state.pick(r, states).end()
		at = append(at, eventTime(r, n))
		extra.letters(r, 100).end()
	}
	return vector.NewBatch(personSchema, []arrow.Array{longs(id), name.column(), email.column(), card.column(), city.column(), state.column(),
		times(at), extra.column()}, rows)
}
