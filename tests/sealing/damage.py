"""Truncated and extended sealed files: rejected, except where the structure cannot show it (docs/sealing.md)."""

from samples import Samples

PEM = b"-----BEGIN "
CHUNK = 64 * 1024 + 16


def truncate_and_extend(samples: Samples) -> None:
    """Damages every kind of file once, and records what the structure cannot show."""
    for name, sealed in [*samples.sealed.items()]:
        if is_binary_age(sealed):
            continue
        # A PEM block may lack its last newline.
        text = sealed.rstrip(b"\n") if is_text(sealed) else sealed
        for count in (1, 16):
            samples.refuse(f"cut-by-{count}-{name}", text[:-count])
            samples.refuse(f"extended-by-{count}-{name}", sealed + b"A" * count)
        samples.refuse(f"half-{name}", sealed[: len(sealed) // 2])
    age(samples)
    pem(samples)


def is_binary_age(sealed: bytes) -> bool:
    return sealed.startswith(b"age-encryption.org/")


def is_text(sealed: bytes) -> bool:
    return sealed.startswith((PEM, b"{", b"ey"))


def age(samples: Samples) -> None:
    """The payload of an age file is counted: chunks of 65,552 bytes, and a last one of at least 17."""
    for name in [name for name, sealed in samples.sealed.items() if is_binary_age(sealed)]:
        sealed = samples.sealed[name]
        # The MAC that ends the header is one of its lines.
        header = sealed.index(b"\n--- ") + 1
        payload = sealed.index(b"\n", header) + 1
        samples.refuse(f"header-cut-{name}", sealed[: payload - 1])
        samples.refuse(f"payload-missing-{name}", sealed[:payload])
        samples.refuse(f"nonce-cut-{name}", sealed[: payload + 15])
        samples.refuse(f"nonce-alone-{name}", sealed[: payload + 16])
        samples.refuse(f"tag-cut-{name}", sealed[: payload + 16 + 15])
        samples.refuse(f"second-chunk-cut-{name}", (sealed[: payload + 16] + bytes(CHUNK + 16)))
        samples.refuse(f"then-plaintext-{name}", sealed[:payload] + b"%PDF-1.7 not sealed")
        samples.refuse(f"without-mac-{name}", sealed[:header] + sealed[payload:])
        samples.refuse(f"other-version-{name}", sealed.replace(b"org/v1", b"org/v2", 1))
    sealed = {size: samples.sealed[f"age-{size}.age"] for size in (0, 65_536, 65_537, 131_072)}
    samples.refuse("age-empty-cut-by-1.age", sealed[0][:-1])
    samples.refuse("age-whole-chunk-extended-by-1.age", sealed[65_536] + b"A")
    samples.refuse("age-whole-chunk-extended-by-16.age", sealed[65_536] + b"A" * 16)
    samples.refuse("age-whole-chunks-extended-by-16.age", sealed[131_072] + b"A" * 16)
    samples.refuse("age-one-byte-in-last-chunk-cut-by-1.age", sealed[65_537][:-1])
    samples.refuse("age-one-byte-in-last-chunk-cut-by-16.age", sealed[65_537][:-16])
    # The structure cannot show this.
    samples.accept("unseen-shorter-last-chunk.age", sealed[65_536][:-1])
    samples.accept("unseen-last-chunk-missing.age", sealed[131_072][:-CHUNK])
    samples.accept("unseen-longer-last-chunk.age", samples.sealed["age-1.age"] + b"A")


def pem(samples: Samples) -> None:
    """Lines of base64 that are split, joined, or in the wrong block."""
    for name in [name for name, sealed in samples.sealed.items() if sealed.startswith(PEM)]:
        lines = samples.sealed[name].splitlines(keepends=True)
        samples.refuse(f"without-end-{name}", b"".join(lines[:-1]))
        samples.refuse(f"without-begin-{name}", b"".join(lines[1:]))
        samples.refuse(f"short-line-{name}", b"".join([*lines[:9], lines[9][4:], *lines[10:]]))
        samples.refuse(f"joined-lines-{name}", b"".join([*lines[:9], lines[9].rstrip(), *lines[10:]]))
        samples.refuse(f"twice-{name}", b"".join([*lines, *lines]))
        samples.accept(f"crlf-{name}", b"".join(lines).replace(b"\n", b"\r\n"))
        samples.accept(f"without-last-newline-{name}", b"".join(lines).rstrip())
