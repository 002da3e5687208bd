"""Disguised plaintext: unsealed files are rejected, whatever their label."""

import base64
import gzip
import io
import json
import random
import shutil
import struct
import zipfile
import zlib
from pathlib import Path

from samples import Samples, boarding_pass, call


def make(work: Path, samples: Samples) -> None:
    """Writes the samples."""
    pdf = boarding_pass()
    plain = {
        "boarding-pass.pdf": pdf,
        "picture.jpeg": jpeg(),
        "picture.png": png(),
        "picture.heic": struct.pack(">I", 24) + b"ftypheic" + b"\0\0\0\0mif1heic" + pdf[100:],
        "archive.zip": archive(pdf),
        "archive.pdf.gz": gzip.compress(pdf, mtime=0),
        "text.txt": "Reise nach Köln\n".encode(),
        "text-utf16.txt": "Reise nach Köln\n".encode("utf-16"),
        "pass.json": json.dumps({"description": "Boarding pass", "ciphertext": "AAAA"}).encode(),
        "pdf-in-base64.txt": base64.encodebytes(pdf),
        "random.bin": random.Random(2).randbytes(4096),
        "empty": b"",
        "blank": b" \n\n",
    }
    for name, data in plain.items():
        samples.refuse(name, data)
    labelled(samples, pdf)
    openpgp(work, samples, pdf)


def labelled(samples: Samples, pdf: bytes) -> None:
    """Plaintext in the structure of an accepted format."""
    lines = base64.encodebytes(pdf).replace(b"\n", b"")
    body = b"\n".join(lines[at : at + 64] for at in range(0, len(lines), 64))
    for label in (b"AGE ENCRYPTED FILE", b"CMS", b"PKCS7", b"CERTIFICATE", b"PGP MESSAGE"):
        pem = b"-----BEGIN %b-----\n%b\n-----END %b-----\n" % (label, body, label)
        samples.refuse(f"pdf-in-{label.decode().lower().replace(' ', '-')}.pem", pem)
    samples.refuse("pdf-behind-age-line.age", b"age-encryption.org/v1\n" + pdf)
    samples.refuse("pdf-in-sequence.p7m", b"\x30\x83" + len(pdf).to_bytes(3, "big") + pdf)
    text = base64.urlsafe_b64encode(pdf).rstrip(b"=").decode()
    header = base64.urlsafe_b64encode(b'{"alg":"dir","enc":"A256GCM"}').rstrip(b"=").decode()
    samples.refuse("pdf-in-jwe-parts.jwe", ".".join([header, "", "", text, ""]).encode())
    samples.refuse("pdf-in-jwe.json", json.dumps({"protected": header, "ciphertext": text}).encode())
    # The structure cannot show this: it is valid, but the ciphertext is plaintext.
    iv, tag = "A" * 16, "A" * 21 + "Q"
    samples.accept("unseen-plaintext.jwe", ".".join([header, "", iv, text, tag]).encode())
    sealed = samples.sealed["age-1.age"]
    payload = sealed.index(b"\n", sealed.index(b"\n--- ") + 1) + 1
    samples.accept("unseen-plaintext.age", sealed[:payload] + pdf[:20_000])


def openpgp(work: Path, samples: Samples, pdf: bytes) -> None:
    """Files encrypted in formats that are not accepted."""
    if not shutil.which("gpg"):
        print("gpg is not installed: no OpenPGP samples")
        return
    home = work / "gpg"
    home.mkdir(mode=0o700)
    command = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "battery"]
    for name, options in (("binary", []), ("armored", ["--armor"])):
        samples.refuse(f"openpgp-{name}.pgp", call(work, *command, *options, "--symmetric", "-o", "-", stdin=pdf))
    call(work, "gpgconf", "--homedir", home, "--kill", "all")


def jpeg() -> bytes:
    """A grey pixel."""
    return base64.b64decode(
        "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8Q"
        "EBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k="
    )


def png() -> bytes:
    """A grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"\0\x80")), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def archive(pdf: bytes) -> bytes:
    """A ZIP archive, like an Office document."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("boarding-pass.pdf", pdf)
    return buffer.getvalue()
