//! Types that the whole crate uses and that use nothing of it.

/// A SHA-256 digest. Tokens, codes, secrets and sessions are stored only in this form.
pub type Hash = [u8; 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}
