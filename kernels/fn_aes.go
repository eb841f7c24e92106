package kernels

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	decryptParams := []Accept{Binary, Binary, String, String, Binary}
	decrypt := func(name, summary string, try bool) Scalar {
		return Define(Scalar{
			Name: name, Signature: name + "(expr, key[, mode[, padding[, aad]]])", Summary: summary,
			Examples: []Example{{"CAST(" + name + "(unhex('83F16B2AA704794132802D248E6BFD4E380078182D1544813898AC97E709B28A94'), '0000111122223333') AS STRING)", "Spark"}},
			SQL:      withDefaults(name, 2, "GCM", "DEFAULT", ""),
		}, Sig{Params: decryptParams, Optional: 3, Result: vector.Binary, Nullable: try}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			return aesRows(args, n, try, func(c *aesCall, dst []byte) ([]byte, error) { return c.decrypt(dst) })
		})
	}
	Register(
		Define(Scalar{
			Name: "aes_encrypt", Signature: "aes_encrypt(expr, key[, mode[, padding[, iv[, aad]]]])",
			Summary:  "The bytes encrypted with AES by a key of 16, 24 or 32 bytes; mode is GCM, CBC or ECB; the initialisation vector is random if not given and stands in front.",
			Examples: []Example{{"hex(aes_encrypt('Spark SQL', '1234567890abcdef', 'ECB'))", "DE59B0BBE330D07DDF8B9343BDCBBD96"}},
			SQL:      withDefaults("aes_encrypt", 2, "GCM", "DEFAULT", "", ""),
		}, Sig{Params: []Accept{Binary, Binary, String, String, Binary, Binary}, Optional: 4, Result: vector.Binary},
			func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				return aesRows(args, n, false, func(c *aesCall, dst []byte) ([]byte, error) { return c.encrypt(dst) })
			}),
		decrypt("aes_decrypt", "The bytes that aes_encrypt encrypted.", false),
		decrypt("try_aes_decrypt", "aes_decrypt, but null where it fails.", true),
	)
}

// aesCall are the arguments of one row.
type aesCall struct {
	input, key, iv, aad []byte
	mode, padding       string
}

const aesFunctions = "`aes_encrypt`/`aes_decrypt`"

func aesRows(args []vector.Vec, n int, try bool, run func(*aesCall, []byte) ([]byte, error)) (vector.Vec, error) {
	at := make([]texts, len(args))
	for k, a := range args {
		at[k] = textsOf(a)
	}
	optional := func(k, i int) []byte {
		if k < len(at) {
			return at[k].at(i)
		}
		return nil
	}
	return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		c := aesCall{input: at[0].at(i), key: at[1].at(i), mode: "GCM", padding: "DEFAULT", iv: optional(4, i), aad: optional(5, i)}
		if len(at) > 2 {
			c.mode = string(at[2].at(i))
		}
		if len(at) > 3 {
			c.padding = string(at[3].at(i))
		}
		out, err := run(&c, dst)
		if err != nil && try {
			return dst, false, nil
		}
		return out, err == nil, err
	})
}

// cipher checks the key, the mode and the padding, which PKCS is for CBC and ECB
// and NONE for GCM.
func (c *aesCall) cipher() (cipher.Block, error) {
	mode, padding := strings.ToUpper(c.mode), strings.ToUpper(c.padding)
	natural := map[string]string{"GCM": "NONE", "CBC": "PKCS", "ECB": "PKCS"}[mode]
	if n := len(c.key); n != 16 && n != 24 && n != 32 {
		return nil, condition.New("INVALID_PARAMETER_VALUE.AES_KEY_LENGTH", "parameter", "`key`", "functionName", aesFunctions, "actualLength", n)
	}
	if natural == "" || padding != "DEFAULT" && padding != natural {
		return nil, condition.New("UNSUPPORTED_FEATURE.AES_MODE", "mode", c.mode, "padding", c.padding, "functionName", aesFunctions)
	}
	c.mode = mode
	block, err := aes.NewCipher(c.key)
	if err != nil {
		return nil, err
	}
	return block, nil
}

func (c *aesCall) ivSize() int {
	switch c.mode {
	case "GCM":
		return 12
	case "CBC":
		return aes.BlockSize
	}
	return 0
}

func (c *aesCall) encrypt(dst []byte) ([]byte, error) {
	block, err := c.cipher()
	if err != nil {
		return nil, err
	}
	size := c.ivSize()
	switch {
	case len(c.iv) > 0 && size == 0:
		return nil, condition.New("UNSUPPORTED_FEATURE.AES_MODE_IV", "mode", c.mode, "functionName", "`aes_encrypt`")
	case len(c.iv) > 0 && len(c.iv) != size:
		return nil, condition.New("INVALID_PARAMETER_VALUE.AES_IV_LENGTH", "mode", c.mode, "parameter", "`iv`", "functionName", aesFunctions, "actualLength", len(c.iv))
	case len(c.aad) > 0 && c.mode != "GCM":
		return nil, condition.New("UNSUPPORTED_FEATURE.AES_MODE_AAD", "mode", c.mode, "functionName", "`aes_encrypt`")
	case len(c.iv) == 0 && size > 0:
		c.iv = make([]byte, size)
		rand.Read(c.iv) // never fails
	}
	dst = append(dst, c.iv...)
	if c.mode == "GCM" {
		gcm, err := cipher.NewGCM(block)
		if err != nil {
			return nil, c.failed(err.Error())
		}
		return gcm.Seal(dst, c.iv, c.input, c.aad), nil
	}
	start := len(dst)
	pad := aes.BlockSize - len(c.input)%aes.BlockSize
	dst = append(append(dst, c.input...), bytes.Repeat([]byte{byte(pad)}, pad)...)
	text := dst[start:]
	if c.mode == "CBC" {
		cipher.NewCBCEncrypter(block, c.iv).CryptBlocks(text, text)
		return dst, nil
	}
	for ; len(text) > 0; text = text[aes.BlockSize:] {
		block.Encrypt(text, text)
	}
	return dst, nil
}

func (c *aesCall) failed(detail string) error {
	return condition.New("INVALID_PARAMETER_VALUE.AES_CRYPTO_ERROR", "parameter", "`expr`, `key`", "functionName", aesFunctions, "detailMessage", detail)
}

func (c *aesCall) decrypt(dst []byte) ([]byte, error) {
	c.aad, c.iv = c.iv, nil // decryption has no argument for the vector
	block, err := c.cipher()
	if err != nil {
		return nil, err
	}
	if len(c.aad) > 0 && c.mode != "GCM" {
		return nil, condition.New("UNSUPPORTED_FEATURE.AES_MODE_AAD", "mode", c.mode, "functionName", "`aes_decrypt`")
	}
	size := c.ivSize()
	if len(c.input) < size {
		return nil, c.failed("Invalid buffer arguments")
	}
	iv, text := c.input[:size], c.input[size:]
	if c.mode == "GCM" {
		gcm, err := cipher.NewGCM(block)
		if err != nil {
			return nil, c.failed(err.Error())
		}
		out, err := gcm.Open(dst, iv, text, c.aad)
		if err != nil {
			return nil, c.failed("Tag mismatch!")
		}
		return out, nil
	}
	if len(text)%aes.BlockSize != 0 {
		return nil, c.failed("Input length must be multiple of 16 when decrypting with padded cipher")
	}
	start := len(dst)
	dst = append(dst, text...)
	out := dst[start:]
	if c.mode == "CBC" {
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, out)
	} else {
		for b := out; len(b) > 0; b = b[aes.BlockSize:] {
			block.Decrypt(b, b)
		}
	}
	n, ok := unpadded(out)
	if !ok {
		return nil, c.failed("Given final block not properly padded. Such issues can arise if a bad key is used during decryption.")
	}
	return dst[:start+n], nil
}

// unpadded is the length of a text without its PKCS padding.
func unpadded(s []byte) (int, bool) {
	if len(s) == 0 {
		return 0, true
	}
	pad := int(s[len(s)-1])
	if pad == 0 || pad > aes.BlockSize {
		return 0, false
	}
	for _, b := range s[len(s)-pad:] {
		if int(b) != pad {
			return 0, false
		}
	}
	return len(s) - pad, true
}
