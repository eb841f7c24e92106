package kernels

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Define(Scalar{
		Name: "hmac", Signature: "hmac(key, message[, algorithm])", Summary: "The keyed hash of a message, by default with SHA-256, as BINARY.",
		Examples: []Example{{"hex(hmac('key', 'message', 'MD5'))", "4E4748E62B463521F6775FBF921234B5"}},
		SQL:      withDefaults("hmac", 2, "SHA-256"),
	}, Sig{Params: []Accept{Binary, Binary, String}, Optional: 1, Result: vector.Binary}, evalHMAC))
}

var hmacHashes = map[string]func() hash.Hash{
	"SHA224": sha256.New224, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New, "SHA1": sha1.New, "MD5": md5.New,
}

func evalHMAC(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	key, message := textsOf(args[0]), textsOf(args[1])
	algorithm := func(int) []byte { return []byte("SHA256") }
	if len(args) == 3 {
		algorithm = textsOf(args[2]).at
	}
	return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		name := algorithm(i)
		h := hmacHashes[strings.Replace(strings.ToUpper(string(name)), "SHA-", "SHA", 1)]
		switch {
		case h == nil:
			return nil, false, condition.New("INVALID_PARAMETER_VALUE.HMAC_ALGORITHM",
				"parameter", "`algorithm`", "functionName", "`hmac`", "algorithm", "'"+string(name)+"'")
		case len(key.at(i)) == 0:
			return nil, false, condition.New("INVALID_PARAMETER_VALUE.HMAC_CRYPTO_ERROR",
				"parameter", "`key`", "functionName", "`hmac`", "detailMessage", "Empty key")
		}
		mac := hmac.New(h, key.at(i))
		mac.Write(message.at(i))
		return mac.Sum(dst), true, nil
	})
}
