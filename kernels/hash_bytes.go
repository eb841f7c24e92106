package kernels

// MurmurBytes is Spark's 32-bit Murmur3 hash of bytes.
func MurmurBytes(p []byte, seed uint32) uint32 { return murmurBytes(p, seed) }
