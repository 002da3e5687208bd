"""Files sealed by implementations of age: age (Go), rage if installed, pyrage (Rust), age-encryption (TypeScript)."""

import shutil
from pathlib import Path

import pyrage

from samples import Samples, boarding_pass, call, expect_same

# Sizes of the plaintext in bytes: empty, one byte, and around the end of a chunk of 64 KiB.
SIZES = [0, 1, 65_535, 65_536, 65_537, 131_072]
PASSPHRASE = "correct horse battery"


def seal(work: Path, samples: Samples) -> None:
    """Seals files of several sizes, for several kinds of recipients, binary and armored."""
    command_line(work, samples, "age")
    # Not every distribution has this package.
    if shutil.which("rage"):
        command_line(work, samples, "rage")
    rust(samples)
    typescript(work, samples)


def command_line(work: Path, samples: Samples, tool: str) -> None:
    folder = work / tool
    folder.mkdir()
    call(folder, f"{tool}-keygen", "-o", "key.txt")
    call(folder, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "ed25519")
    call(folder, "ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", "rsa")
    recipients = [call(folder, f"{tool}-keygen", "-y", "key.txt").decode().strip()]
    recipients += [(folder / f"{name}.pub").read_text().strip() for name in ("ed25519", "rsa")]

    def check(name: str, plain: bytes, recipients: list[str], *options: str, key: str = "key.txt") -> None:
        options = (*options, *(option for recipient in recipients for option in ("-r", recipient)))
        sealed = call(folder, tool, *options, stdin=plain)
        expect_same(f"{tool} {name}", call(folder, tool, "-d", "-i", key, stdin=sealed), plain)
        samples.add_sealed(f"{tool}-{name}", sealed)

    for size in SIZES:
        check(f"{size}.age", boarding_pass(size)[:size], recipients[:1])
    check("armored.age", boarding_pass(), recipients[:1], "-a")
    check("ssh-ed25519.age", boarding_pass(), recipients[1:2], key="ed25519")
    check("ssh-rsa.age", boarding_pass(), recipients[2:], key="rsa")
    check("recipients.age", boarding_pass(), recipients)


def rust(samples: Samples) -> None:
    identities = [pyrage.x25519.Identity.generate() for _ in range(20)]
    recipients = [identity.to_public() for identity in identities]
    plain = boarding_pass()

    def check(name: str, sealed: bytes, opened: bytes) -> None:
        expect_same(f"pyrage {name}", opened, plain)
        samples.add_sealed(f"pyrage-{name}.age", sealed)

    for name, armored in (("binary", False), ("armored", True)):
        sealed = pyrage.encrypt(plain, recipients, armored=armored)
        check(name, sealed, pyrage.decrypt(sealed, identities[-1:]))
    sealed = pyrage.passphrase.encrypt(plain, PASSPHRASE)
    check("passphrase", sealed, pyrage.passphrase.decrypt(sealed, PASSPHRASE))


def typescript(work: Path, samples: Samples) -> None:
    folder = work / "age-encryption"
    folder.mkdir()
    script = Path(__file__).with_name("age_files.mts")
    # Copied, so that it finds the packages beside it.
    (work / script.name).write_bytes(script.read_bytes())
    (work / "plain").write_bytes(boarding_pass())
    call(work, "node", script.name, "plain", folder.name)
    for sealed in sorted(folder.iterdir()):
        samples.add_sealed(f"age-encryption-{sealed.name}", sealed.read_bytes())
