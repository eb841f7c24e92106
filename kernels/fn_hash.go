package kernels

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash/crc32"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	hashed := func(name string, result *vector.Type, summary, want string, eval func(types []*vector.Type) Eval) Scalar {
		return Scalar{
			Name: name, Signature: name + "(expr1, expr2, …)", Summary: summary,
			Examples: []Example{{name + "('Spark', array(123), 2)", want}},
			MinArgs:  1, MaxArgs: -1,
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				types := make([]*vector.Type, len(args))
				for i, a := range args {
					types[i] = a.Type
					if holdsMap(a.Type) {
						return nil, condition.New("DATATYPE_MISMATCH.HASH_MAP_TYPE",
							"sqlExpr", quoteSQL(callSQL(name, sqlOf(args))), "functionName", "`"+name+"`")
					}
				}
				return &Impl{Args: make([]*vector.Type, len(args)), Result: result, Fresh: true, Eval: eval(types)}, nil
			},
		}
	}
	digest := func(name, summary, want string, sum func(dst, s []byte) []byte, aliases ...string) Scalar {
		return Define(Scalar{
			Name: name, Aliases: aliases, Signature: name + "(expr)", Summary: summary, Examples: []Example{{name + "('Spark')", want}},
		}, Sig{Params: []Accept{Binary}, Result: vector.String}, stringsOf1(vector.String, sum))
	}
	Register(
		hashed("hash", vector.Int, "Spark's 32-bit Murmur3 hash of the arguments, seed 42.", "-1321691492", func(types []*vector.Type) Eval {
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				return vector.Vec{Arr: vector.NewFixed(vector.Int, murmurRows(ctx.Temp, types, args, n), nil)}, nil
			}
		}),
		hashed("xxhash64", vector.Long, "The 64-bit xxHash of the arguments, seed 42.", "5602566077635097486", func(types []*vector.Type) Eval {
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				return vector.Vec{Arr: vector.NewFixed(vector.Long, xxRows(ctx.Temp, types, args, n), nil)}, nil
			}
		}),
		digest("md5", "The MD5 digest in hexadecimal.", "8cde774d6f7333752ed72cacddb05126", func(dst, s []byte) []byte {
			sum := md5.Sum(s)
			return hex.AppendEncode(dst, sum[:])
		}),
		digest("sha1", "The SHA-1 digest in hexadecimal.", "85f5955f4b27a9a4c2aab6ffe5d7189fc298b92c", func(dst, s []byte) []byte {
			sum := sha1.Sum(s)
			return hex.AppendEncode(dst, sum[:])
		}, "sha"),
		Define(Scalar{
			Name: "sha2", Signature: "sha2(expr, bitLength)", Summary: "The SHA-2 digest of 224, 256 (also 0), 384 or 512 bits in hexadecimal; null for another length.",
			Examples: []Example{{"sha2('Spark', 256)", "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b"}},
		}, Sig{Params: []Accept{Binary, Int}, Result: vector.String, Nullable: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, size := textsOf(args[0]), fixedOf[int32](args[1])
			return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				dst, ok := appendSHA2(dst, s.at(i), size.at(i))
				return dst, ok, nil
			})
		}),
		Define(Scalar{
			Name: "crc32", Signature: "crc32(expr)", Summary: "The CRC-32 checksum as a BIGINT.",
			Examples: []Example{{"crc32('Spark')", "1557323817"}},
		}, Sig{Params: []Accept{Binary}, Result: vector.Long}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 { return int64(crc32.ChecksumIEEE(s.at(i))) }), nil
		}),
	)
}

func appendSHA2(dst, s []byte, size int32) ([]byte, bool) {
	switch size {
	case 224:
		sum := sha256.Sum224(s)
		return hex.AppendEncode(dst, sum[:]), true
	case 0, 256:
		sum := sha256.Sum256(s)
		return hex.AppendEncode(dst, sum[:]), true
	case 384:
		sum := sha512.Sum384(s)
		return hex.AppendEncode(dst, sum[:]), true
	case 512:
		sum := sha512.Sum512(s)
		return hex.AppendEncode(dst, sum[:]), true
	}
	return dst, false
}

// holdsMap tells whether a type is or contains a map.
func holdsMap(t *vector.Type) bool {
	switch t.Kind {
	case vector.KindMap:
		return true
	case vector.KindArray:
		return holdsMap(t.Elem)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if holdsMap(f.Type) {
				return true
			}
		}
	}
	return false
}
