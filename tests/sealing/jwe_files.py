"""Files sealed and signed by jwcrypto."""

import base64
import json

from jwcrypto import jwe, jwk, jws

from samples import Samples, boarding_pass, expect_same

RSA = jwk.JWK.generate(kty="RSA", size=2048)
EC = jwk.JWK.generate(kty="EC", crv="P-256")
X25519 = jwk.JWK.generate(kty="OKP", crv="X25519")
# By the length of the key.
SYMMETRIC = {bits: jwk.JWK.generate(kty="oct", size=bits) for bits in (128, 192, 256, 512)}
PASSPHRASE = jwk.JWK.from_password("correct horse battery")

KEYS = {
    "RSA-OAEP": RSA,
    "RSA-OAEP-256": RSA,
    "A128KW": SYMMETRIC[128],
    "A192KW": SYMMETRIC[192],
    "A256KW": SYMMETRIC[256],
    "A128GCMKW": SYMMETRIC[128],
    "A256GCMKW": SYMMETRIC[256],
    "ECDH-ES": EC,
    "ECDH-ES+A128KW": EC,
    "ECDH-ES+A256KW": X25519,
    "PBES2-HS256+A128KW": PASSPHRASE,
    "PBES2-HS512+A256KW": PASSPHRASE,
}
ENCRYPTIONS = ["A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512", "A128GCM", "A192GCM", "A256GCM"]
# Algorithms that jwcrypto disables by default.
ALGORITHMS = [*KEYS, "dir", "RSA1_5", *ENCRYPTIONS]


def seal(samples: Samples) -> None:
    """Seals with each algorithm, in each serialization."""
    for alg, key in KEYS.items():
        one(samples, alg, "A256GCM", key)
    for enc in ENCRYPTIONS:
        one(samples, "RSA-OAEP-256", enc, RSA, name=enc)
    one(samples, "dir", "A256GCM", SYMMETRIC[256])
    one(samples, "dir", "A256CBC-HS512", SYMMETRIC[512], name="dir-cbc")
    one(samples, "ECDH-ES", "A256GCM", EC, name="deflated", more={"zip": "DEF"})
    general(samples)
    unprotected(samples)
    refuse(samples)


def one(samples: Samples, alg: str, enc: str, key: jwk.JWK, name: str | None = None, more: dict | None = None) -> None:
    """Seals for one recipient: compact and flattened."""
    plain = boarding_pass()
    token = jwe.JWE(plain, protected={"alg": alg, "enc": enc, **(more or {})}, algs=ALGORITHMS)
    token.add_recipient(key)
    for kind, is_compact in (("compact", True), ("flattened", False)):
        text = token.serialize(compact=is_compact)
        expect_opens(f"{alg} {enc}", text, key, plain)
        samples.add_sealed(f"jwe-{kind}-{name or alg}.jwe", text.encode())


def general(samples: Samples) -> None:
    """Seals for two recipients, with additional authenticated data."""
    plain = boarding_pass()
    token = jwe.JWE(plain, protected={"enc": "A256CBC-HS512"}, unprotected={"cty": "application/pdf"}, aad=b"aad")
    token.add_recipient(RSA, header={"alg": "RSA-OAEP-256", "kid": "rsa"})
    token.add_recipient(EC, header={"alg": "ECDH-ES+A256KW", "kid": "ec"})
    text = token.serialize()
    for key in (RSA, EC):
        expect_opens("general", text, key, plain)
    samples.add_sealed("jwe-general.json", text.encode())
    samples.accept("jwe-general-indented.json", json.dumps(json.loads(text), indent=2).encode())


def unprotected(samples: Samples) -> None:
    """Seals with an empty protected header."""
    plain = boarding_pass()
    token = jwe.JWE(plain, unprotected={"alg": "A256KW", "enc": "A256GCM"})
    token.add_recipient(SYMMETRIC[256])
    text = token.serialize()
    expect_opens("unprotected", text, SYMMETRIC[256], plain)
    samples.add_sealed("jwe-unprotected.json", text.encode())


def expect_opens(name: str, text: str, key: jwk.JWK, plain: bytes) -> None:
    token = jwe.JWE(algs=ALGORITHMS)
    token.deserialize(text, key)
    expect_same(f"jwcrypto {name}", token.payload, plain)


def refuse(samples: Samples) -> None:
    """Files that are signed and not encrypted, and forms of JWE that the server rejects."""
    plain = boarding_pass()
    deprecated = jwe.JWE(plain, protected={"alg": "RSA1_5", "enc": "A256GCM"}, algs=ALGORITHMS)
    deprecated.add_recipient(RSA)
    samples.refuse("jwe-rsa1_5.jwe", deprecated.serialize(compact=True).encode())
    empty = jwe.JWE(b"", protected={"alg": "dir", "enc": "A256GCM"})
    empty.add_recipient(SYMMETRIC[256])
    samples.refuse("jwe-without-ciphertext.jwe", empty.serialize(compact=True).encode())
    signed = jws.JWS(plain)
    signed.add_signature(RSA, protected={"alg": "RS256"})
    samples.refuse("jws-compact.jws", signed.serialize(compact=True).encode())
    samples.refuse("jws-flattened.json", signed.serialize().encode())
    signed.add_signature(EC, protected={"alg": "ES256"})
    samples.refuse("jws-general.json", signed.serialize().encode())
    # A JWS whose header claims an `enc`.
    claims = base64.urlsafe_b64encode(b'{"alg":"RS256","enc":"A256GCM"}').rstrip(b"=")
    parts = json.loads(samples.sealed["jwe-flattened-RSA-OAEP-256.jwe"])
    samples.refuse("jws-with-enc.jws", b".".join([claims, parts["ciphertext"].encode(), parts["tag"].encode()]))
