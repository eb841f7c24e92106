package text

import "encoding/binary"

const (
	digitZeros = 0x3030303030303030
	overNine   = 0x7676767676767676 // raises a byte above 9 to one with its highest bit
	highBits   = 0x8080808080808080
)

// plainTimestamp reads the usual form, yyyy-MM-dd HH:mm:ss[.f{1,6}][Z] with a blank or T in
// the middle, as microseconds of the wall clock; false for all other texts. It takes eight
// bytes at a time: digits become numbers two by two, each in the byte of its first digit.
func plainTimestamp(s []byte) (micros int64, zulu, ok bool) {
	n := len(s)
	if n < 19 {
		return 0, false, false
	}
	if s[n-1] == 'Z' {
		zulu = true
		n--
	}
	if n == 20 || n > 26 || s[16] != ':' || s[10] != ' ' && s[10] != 'T' {
		return 0, false, false
	}
	date, clock := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:]) // yyyy-MM-, dd HH:mm
	if date&0xff0000ff_00000000 != '-'<<56|'-'<<32 || clock&0xff00_00000000 != ':'<<40 {
		return 0, false, false
	}
	date = (date ^ digitZeros) & 0x00ffff00_ffffffff
	clock = (clock ^ digitZeros) & 0xffff00ff_ff00ffff
	rest := uint64(binary.LittleEndian.Uint16(s[17:])) ^ digitZeros&0xffff
	if n > 20 {
		if s[19] != '.' {
			return 0, false, false
		}
		// The digits there are at the end of the eight bytes; those that are not are zeros.
		f := (binary.LittleEndian.Uint64(s[n-8:n]) ^ digitZeros) >> (8 * uint(28-n))
		rest |= f << 16
	}
	if (date|(date+overNine)|clock|(clock+overNine)|rest|(rest+overNine))&highBits != 0 {
		return 0, false, false
	}
	date, clock, rest = date*10+date>>8, clock*10+clock>>8, rest*10+rest>>8
	year, month, day := date&0xff*100+date>>16&0xff, date>>40&0xff, clock&0xff
	hour, minute, second := clock>>24&0xff, clock>>48&0xff, rest&0xff
	if month-1 > 11 || day-1 > 27 && (day == 0 || int(day) > DaysInMonth(int64(year), int(month))) || hour > 23 || minute > 59 || second > 59 {
		return 0, false, false
	}
	fraction := rest>>16&0xff*10_000 + rest>>32&0xff*100 + rest>>48&0xff
	return (plainDays(uint32(year), uint32(month), uint32(day))*86_400+int64(hour*3600+minute*60+second))*MicrosPerSecond + int64(fraction), zulu, true
}

// plainDays is DaysFromCivil for years of four digits.
func plainDays(year, month, day uint32) int64 {
	// Years begin in March, and 400 more of them keep the number of days positive.
	year += 400
	if month <= 2 {
		year, month = year-1, month+12
	}
	return int64(365*year+year/4-year/100+year/400+(153*month-457)/5+day-1) - 719468 - daysPerEra
}
