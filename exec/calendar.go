package exec

// maxPages is how many pages a Calendar may have before they become longer.
const maxPages = 4096

// Calendar files ids by the time at which they are due, in pages of one span of time
// each, so that what is due is found without looking at the rest. Times are microseconds.
type Calendar struct {
	span  int64
	pages map[int64][]uint32
}

// NewCalendar makes an empty calendar with pages of span microseconds to begin with.
func NewCalendar(span int64) *Calendar {
	return &Calendar{span: span, pages: map[int64][]uint32{}}
}

// page is the number of the page of a time.
func (c *Calendar) page(at int64) int64 {
	p := at / c.span
	if at%c.span < 0 {
		p--
	}
	return p
}

// openPages is how many pages Add holds open, so that times in disorder seldom cost a
// look into the map.
const openPages = 16

// openPage is a page that is being added to.
type openPage struct {
	page int64
	ids  []uint32 // nil: none is open
}

// Add files ids under their times.
func (c *Calendar) Add(ids []uint32, at []int64) {
	var open [openPages]openPage
	for i, id := range ids {
		p := c.page(at[i])
		o := &open[uint64(p)%openPages]
		if o.ids == nil || o.page != p {
			if o.ids != nil {
				c.pages[o.page] = o.ids
			}
			o.page, o.ids = p, c.pages[p]
		}
		o.ids = append(o.ids, id)
	}
	for _, o := range open {
		if o.ids != nil {
			c.pages[o.page] = o.ids
		}
	}
}

// Move files an id that is filed under one time under a later one. What is left of it
// under the first is passed over by Due.
func (c *Calendar) Move(id uint32, from, to int64) {
	if p := c.page(to); p != c.page(from) {
		c.pages[p] = append(c.pages[p], id)
	}
}

// Due calls visit with each id that is due at or before bound and forgets it. at is the
// time of an id, ok false if the id is not in use any more; visit must make it so.
func (c *Calendar) Due(bound int64, at func(id uint32) (t int64, ok bool), visit func(id uint32)) {
	last := c.page(bound)
	for p, ids := range c.pages {
		if p > last {
			continue
		}
		stay := ids[:0]
		for _, id := range ids {
			switch t, ok := at(id); {
			case !ok:
			case t <= bound:
				visit(id)
			case c.page(t) == p:
				stay = append(stay, id)
			}
		}
		if len(stay) > 0 {
			c.pages[p] = stay
		} else {
			delete(c.pages, p)
		}
	}
	if len(c.pages) > maxPages && c.span < 1<<56 {
		c.lengthen(at)
	}
}

// lengthen files everything in pages of a longer span.
func (c *Calendar) lengthen(at func(id uint32) (int64, bool)) {
	old := c.pages
	before := *c
	c.span *= 16
	c.pages = map[int64][]uint32{}
	for p, ids := range old {
		for _, id := range ids {
			if t, ok := at(id); ok && before.page(t) == p {
				q := c.page(t)
				c.pages[q] = append(c.pages[q], id)
			}
		}
	}
}

// Bytes is the memory in use.
func (c *Calendar) Bytes() int {
	n := 0
	for _, ids := range c.pages {
		n += 4 * cap(ids)
	}
	return n
}
