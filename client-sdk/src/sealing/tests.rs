//! Files that are sealed and opened without a service, and files that nobody should open.

use age::armor::{ArmoredWriter, Format};
use age::x25519::Identity as Key;
use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::documents::BLOCK;

fn plain(size: usize) -> Vec<u8> {
    (0..=250).cycle().take(size).collect()
}

/// A passphrase that is checked quickly.
fn quick_passphrase(passphrase: &str) -> Seal {
    let mut recipient = age::scrypt::Recipient::new(SecretString::from(passphrase.to_owned()));
    recipient.set_work_factor(2);
    Seal::recipient(recipient)
}

async fn sealed(plain: &[u8], seal: &Seal) -> Vec<u8> {
    let file = FileSource::from(plain.to_vec()).open().await.unwrap();
    let sealed = seal::seal(file, seal.encryptor().unwrap()).unwrap();
    let bytes: Vec<Bytes> = sealed.blocks.try_collect().await.unwrap();
    let bytes = bytes.concat();
    assert_eq!(bytes.len() as u64, sealed.size, "the size is known before");
    bytes
}

/// Opens a file that arrives in frames of so many bytes.
async fn opened_in(frame: usize, sealed: &[u8], key: Unseal) -> Result<Vec<u8>, SealingError> {
    let frames: Vec<_> = sealed.chunks(frame).map(|frame| Ok(Bytes::copy_from_slice(frame))).collect();
    let mut written = Vec::new();
    let size = unseal::unseal(stream::iter(frames).boxed(), key, &mut written).await?;
    assert_eq!(size, written.len() as u64);
    Ok(written)
}

async fn opened(sealed: &[u8], key: &Key) -> Result<Vec<u8>, SealingError> {
    opened_in(10_000, sealed, Unseal::identity(key.clone())).await
}

#[tokio::test]
async fn sealed_files_of_any_size_open_to_the_original() {
    let key = Key::generate();
    for size in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 200_000] {
        let plain = plain(size);
        let file = sealed(&plain, &Seal::recipient(key.to_public())).await;
        assert!(opened(&file, &key).await.unwrap() == plain, "{size} bytes");
    }
}

#[tokio::test]
async fn each_recipient_opens_it_and_so_does_a_passphrase() {
    let (first, second) = (Key::generate(), Key::generate());
    let both = Seal::Recipients(vec![Box::new(first.to_public()), Box::new(second.to_public())]);
    let file = sealed(b"both", &both).await;
    for key in [&first, &second] {
        assert_eq!(opened(&file, key).await.unwrap(), b"both");
    }
    let file = sealed(b"said", &quick_passphrase("open sesame")).await;
    assert_eq!(opened_in(1, &file, Unseal::passphrase("open sesame")).await.unwrap(), b"said");
}

#[tokio::test]
async fn another_key_opens_nothing_and_the_error_says_why() {
    let (key, other) = (Key::generate(), Key::generate());
    let to_key = sealed(b"x", &Seal::recipient(key.to_public())).await;
    let to_passphrase = sealed(b"x", &quick_passphrase("open sesame")).await;
    let open = async |file: &[u8], with: Unseal| opened_in(100, file, with).await.unwrap_err();
    assert!(matches!(open(&to_key, Unseal::identity(other)).await, SealingError::WrongKey));
    assert!(matches!(open(&to_key, Unseal::Identities(Vec::new())).await, SealingError::WrongKey));
    assert!(matches!(open(&to_key, Unseal::passphrase("p")).await, SealingError::NeedsIdentity));
    assert!(matches!(open(&to_passphrase, Unseal::passphrase("p")).await, SealingError::WrongKey));
    assert!(matches!(open(&to_passphrase, Unseal::identity(key)).await, SealingError::NeedsPassphrase));
}

#[test]
fn an_error_has_the_code_of_its_variant_or_that_of_the_service() {
    let io = || io::Error::other("x");
    let own = [
        SealingError::Read(io()),
        SealingError::Seal(EncryptError::MissingRecipients),
        SealingError::Download(io()),
        SealingError::Write(io()),
        SealingError::NotAge,
        SealingError::WrongKey,
        SealingError::NeedsPassphrase,
        SealingError::NeedsIdentity,
        SealingError::ExcessiveWork { required: 30 },
        SealingError::Truncated,
        SealingError::Damaged,
        SealingError::Interrupted("x".to_owned()),
    ];
    for error in own {
        let shown = format!("{error:?}");
        let variant = shown.split(|c: char| !c.is_alphanumeric()).next().unwrap();
        assert_eq!(error.code(), variant[..1].to_ascii_lowercase() + &variant[1..]);
        assert!(error.api_error().is_none() && error.message().is_none());
    }
    let inner = SealingError::from(ApiError::InvalidRequest("x".to_owned()));
    assert_eq!((inner.code(), inner.api_error().map(ApiError::status)), ("invalidRequest", Some(None)));
}

#[tokio::test]
async fn a_passphrase_that_takes_too_long_is_not_checked() {
    let file = sealed(b"x", &quick_passphrase("p")).await;
    let end = file.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let end = end + file[end..].iter().position(|byte| *byte == b'\n').unwrap();
    assert_eq!(&file[end - 2..end], b" 2");
    let slow = [&file[..end - 1], b"23", &file[end..]].concat();
    let error = opened_in(100, &slow, Unseal::passphrase("p")).await.unwrap_err();
    assert!(matches!(error, SealingError::ExcessiveWork { required: 23 }), "{error}");
}

#[tokio::test]
async fn a_truncated_file_is_never_taken_for_a_whole_one() {
    let key = Key::generate();
    let file = sealed(&plain(2 * BLOCK + 5), &Seal::recipient(key.to_public())).await;
    let header = file.len() - 16 - 2 * (BLOCK + 16) - 21;
    let nonce = header + 16;
    let chunk_ends = [nonce, nonce + BLOCK + 16, nonce + 2 * (BLOCK + 16)];
    let around = chunk_ends.iter().flat_map(|end| [end - 1, *end, end + 1]);
    for length in (0..header).step_by(7).chain(around).chain([21, 22, header, file.len() - 1]) {
        let error = opened(&file[..length], &key).await.unwrap_err();
        let expected = match length {
            0 => matches!(error, SealingError::NotAge),
            _ if length < nonce || chunk_ends.contains(&length) => matches!(error, SealingError::Truncated),
            // Within a chunk it looks like damage.
            _ => matches!(error, SealingError::Damaged),
        };
        assert!(expected, "{length} of {}: {error}", file.len());
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused() {
    let key = Key::generate();
    for size in [0, 5, BLOCK] {
        let file = sealed(&plain(size), &Seal::recipient(key.to_public())).await;
        let payload = file.len() - size - 16;
        for at in [payload - 1, payload, file.len() - 1] {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(matches!(opened(&damaged, &key).await, Err(SealingError::Damaged)), "{at} of {size}");
        }
        let longer = [&file[..], b"x"].concat();
        assert!(matches!(opened(&longer, &key).await, Err(SealingError::Damaged)), "{size}");
    }
}

#[tokio::test]
async fn another_format_is_not_age() {
    let key = Key::generate();
    let jwe = [b"eyJhbGciOiJkaXIi", &plain(500)[..]].concat();
    let later = b"age-encryption.org/v2\nand the rest of the file";
    for file in [&b""[..], b"x", b"hello, this is no sealed file at all", &jwe, later, &b"%PDF-1.7\n".repeat(1_000)] {
        for frame in [1, 10_000] {
            let result = opened_in(frame, file, Unseal::identity(key.clone())).await;
            assert!(matches!(result, Err(SealingError::NotAge)), "{result:?}");
        }
    }
}

#[tokio::test]
async fn a_header_without_end_is_given_up() {
    let (binary, armored) = ("age-encryption.org/v1\n", "-----BEGIN AGE ENCRYPTED FILE-----\n");
    let (stanza, word) = (format!("-> {}\n\n", "a".repeat(500)), "a".repeat(500));
    for (start, line) in [(binary, &stanza), (binary, &word), (armored, &stanza), (armored, &word)] {
        let frames = stream::iter([start.to_owned()]).chain(stream::repeat(line.clone())).map(|frame| Ok(frame.into()));
        let result = unseal::unseal(frames.boxed(), Unseal::identity(Key::generate()), Vec::new()).await;
        assert!(matches!(result, Err(SealingError::NotAge | SealingError::Damaged)), "{result:?}");
    }
}

#[tokio::test]
async fn an_armored_file_is_opened_too() {
    let (key, plain) = (Key::generate(), plain(100_000));
    let mut file = Vec::new();
    let armor = ArmoredWriter::wrap_output(&mut file, Format::AsciiArmor).unwrap();
    let mut writer = Seal::recipient(key.to_public()).encryptor().unwrap().wrap_output(armor).unwrap();
    writer.write_all(&plain).unwrap();
    writer.finish().unwrap().finish().unwrap();
    for frame in [1, 35, 10_000] {
        assert!(opened_in(frame, &file, Unseal::identity(key.clone())).await.unwrap() == plain, "{frame}");
    }
    for length in [20, 34, 35, 40, 300, file.len() / 2, file.len() - 10] {
        opened(&file[..length], &key).await.unwrap_err();
    }
}

#[tokio::test]
async fn a_broken_connection_and_a_full_disk_are_told_apart_from_the_file() {
    let key = Key::generate();
    let file = sealed(&plain(100_000), &Seal::recipient(key.to_public())).await;
    for length in [0, 10, 100, file.len() / 2] {
        let start = Ok(Bytes::copy_from_slice(&file[..length]));
        let frames = stream::iter([start, Err(io::Error::other("reset"))]).boxed();
        let result = unseal::unseal(frames, Unseal::identity(key.clone()), Vec::new()).await;
        assert!(matches!(result, Err(SealingError::Download(_))), "{result:?}");
    }
    let mut small = [0; 1_000];
    let frames = stream::iter([Ok(file.into())]).boxed();
    let result = unseal::unseal(frames, Unseal::identity(key), io::Cursor::new(&mut small[..])).await;
    assert!(matches!(result, Err(SealingError::Write(_))), "{result:?}");
}

#[tokio::test]
async fn recipients_that_do_not_go_together_are_refused() {
    let mixed: Vec<Box<dyn Recipient + Send + Sync>> =
        vec![Box::new(Key::generate().to_public()), Box::new(age::scrypt::Recipient::new("p".to_owned().into()))];
    assert!(matches!(Seal::Recipients(mixed).encryptor(), Err(EncryptError::MixedRecipientAndPassphrase)));
    assert!(matches!(Seal::Recipients(Vec::new()).encryptor(), Err(EncryptError::MissingRecipients)));
    let many = (0..800).map(|_| Box::new(Key::generate().to_public()) as _).collect();
    let file = FileSource::from("x").open().await.unwrap();
    let refused = seal::seal(file, Seal::Recipients(many).encryptor().unwrap()).map(|sealed| sealed.size);
    assert!(refused.unwrap_err().to_string().contains("fewer recipients"));
}

/// Bounded memory: at most two blocks have been read from the file and not been passed on.
#[tokio::test]
async fn a_file_is_sealed_no_faster_than_it_is_taken() {
    static READ: AtomicUsize = AtomicUsize::new(0);
    const BLOCKS: usize = 320;
    let blocks = stream::repeat_with(|| {
        READ.fetch_add(1, Ordering::Relaxed);
        Ok(plain(BLOCK).into())
    });
    let file = OpenFile::new((BLOCKS * BLOCK) as u64, blocks.take(BLOCKS));
    let seal = Seal::recipient(Key::generate().to_public());
    let mut sealed = seal::seal(file, seal.encryptor().unwrap()).unwrap();
    let mut taken = 0;
    while let Some(block) = sealed.blocks.try_next().await.unwrap() {
        taken += block.len();
        assert!(block.len() <= BLOCK && READ.load(Ordering::Relaxed) <= taken / BLOCK + 2);
    }
    assert_eq!((taken as u64, READ.load(Ordering::Relaxed)), (sealed.size, BLOCKS));
}

#[test]
fn no_secret_is_shown() {
    let shown = format!("{:?} {:?}", Seal::passphrase("hush"), Unseal::passphrase("hush"));
    assert_eq!(shown, "Passphrase Passphrase");
}

/// The futures must be `Send`, so that programs can spawn them.
#[test]
fn the_transfers_can_be_spawned() {
    fn is_send<T: Send>(_: T) {}
    let client = Client::builder("http://127.0.0.1:1").build().unwrap();
    let seal = Seal::passphrase("p");
    is_send(client.seal_and_upload(Uuid::nil(), FileSource::path("a"), seal, UploadDetails::default(), |_| ()));
    is_send(client.download_and_open(Uuid::nil(), Uuid::nil(), Unseal::passphrase("p"), tokio::io::sink(), |_| ()));
    is_send(client.document_upload(Uuid::nil(), "sealed", UploadDetails::default()));
    is_send(client.document_download("http://127.0.0.1:1"));
}
