"""Files sealed by `openssl cms`, and files of its that are not sealed."""

from pathlib import Path

from samples import ORDINARY, Samples, boarding_pass, call, expect_same

# Sizes of the plaintext around the end of an AES block.
SIZES = [1, 15, 16, 17]
SECRET_KEY = ["-secretkey", "00112233445566778899aabbccddeeff", "-secretkeyid", "c0ffee"]
PASSWORD = ["-pwri_password", "correct horse battery"]


def seal(work: Path, samples: Samples) -> None:
    """Seals for each kind of recipient, with several ciphers, in DER and PEM."""
    folder = work / "cms"
    folder.mkdir()
    certify(folder, "rsa", "rsa:2048")
    certify(folder, "ec", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")

    def check(name: str, to: list[str], opens: list[str], cipher: str, *options: str, size: int = ORDINARY) -> None:
        form = "PEM" if "pem" in name else "DER"
        plain = boarding_pass(size)[:size]
        (folder / "plain").write_bytes(plain)
        files = ["-in", "plain", "-out", "sealed"]
        call(folder, "openssl", "cms", "-encrypt", "-binary", "-outform", form, f"-{cipher}", *files, *options, *to)
        opened = call(folder, "openssl", "cms", "-decrypt", "-binary", "-inform", form, "-in", "sealed", *opens)
        expect_same(f"openssl cms {name}", opened, plain)
        samples.add_sealed(f"cms-{name}.p7m", (folder / "sealed").read_bytes())

    rsa = ["rsa.pem"], ["-recip", "rsa.pem", "-inkey", "rsa.key"]
    ec = ["ec.pem"], ["-recip", "ec.pem", "-inkey", "ec.key"]
    for size in SIZES:
        check(f"cbc-{size}", *rsa, "aes-256-cbc", size=size)
        check(f"gcm-{size}", *rsa, "aes-256-gcm", size=size)
    for cipher in ("aes-128-cbc", "aes-192-cbc", "des3", "camellia-256-cbc", "aes-128-gcm", "aes-192-gcm"):
        check(cipher, *rsa, cipher)
    for cipher in ("aes-256-cbc", "aes-256-gcm"):
        check(f"pem-{cipher}", *rsa, cipher)
        check(f"ec-{cipher}", *ec, cipher)
        check(f"key-identifier-{cipher}", *rsa, cipher, "-keyid")
        check(f"secret-key-{cipher}", SECRET_KEY, SECRET_KEY, cipher)
        oaep = ["-recip", "rsa.pem", "-keyopt", "rsa_padding_mode:oaep"], rsa[1]
        check(f"oaep-{cipher}", *oaep, cipher)
        check(f"recipients-{cipher}", ["rsa.pem", "ec.pem"], rsa[1], cipher)
    # OpenSSL wraps the key with the cipher of the content, which must be in CBC mode.
    check("password", PASSWORD, PASSWORD, "aes-256-cbc")
    refuse(folder, samples)


def certify(folder: Path, name: str, algorithm: str, *options: str) -> None:
    call(
        folder, "openssl", "req", "-x509", "-newkey", algorithm, *options, "-noenc", "-subj", f"/CN={name}",
        "-keyout", f"{name}.key", "-out", f"{name}.pem",
    )  # fmt: skip


def refuse(folder: Path, samples: Samples) -> None:
    """Files made by `openssl` that are not sealed, or not in an accepted form."""
    (folder / "plain").write_bytes(boarding_pass())
    signer = ["-signer", "rsa.pem", "-inkey", "rsa.key"]
    key = ["-secretkey", "00112233445566778899aabbccddeeff"]
    for name, options in {
        "signed.p7s": ["-sign", "-nodetach", "-outform", "DER", *signer],
        "signed-pem.p7s": ["-sign", "-nodetach", "-outform", "PEM", *signer],
        "signed-detached.p7s": ["-sign", "-outform", "DER", *signer],
        "signed-mail.eml": ["-sign", *signer],
        "data.p7m": ["-data_create", "-outform", "DER"],
        "data-pem.p7m": ["-data_create", "-outform", "PEM"],
        "digested.p7m": ["-digest_create", "-outform", "DER"],
        "encrypted-data.p7m": ["-EncryptedData_encrypt", "-aes-128-cbc", *key, "-outform", "DER"],
        "streamed.p7m": ["-encrypt", "-stream", "-aes-256-cbc", "-outform", "DER", "rsa.pem"],
        "mail.eml": ["-encrypt", "-aes-256-cbc", "rsa.pem"],
    }.items():
        samples.refuse(f"cms-{name}", call(folder, "openssl", "cms", "-binary", "-in", "plain", *options))
    # Without ciphertext.
    empty = call(folder, "openssl", "cms", "-encrypt", "-binary", "-aes-256-gcm", "-outform", "DER", "rsa.pem")
    samples.refuse("cms-gcm-empty.p7m", empty)
    password = ["-pass", "pass:correct horse battery", "-pbkdf2"]
    samples.refuse("openssl-enc", call(folder, "openssl", "enc", "-aes-256-cbc", *password, "-in", "plain"))
    for name in ("rsa.pem", "rsa.key"):
        samples.refuse(f"openssl-{name}", (folder / name).read_bytes())
    certificate = call(folder, "openssl", "x509", "-in", "rsa.pem", "-outform", "DER")
    samples.refuse("openssl-rsa.der", certificate)
