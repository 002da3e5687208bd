//! OAuth clients: apps that have registered, and apps whose metadata document was fetched.
//!
//! Redirect URIs and metadata are opaque JSON texts here.

use chrono::{DateTime, TimeDelta, Utc};

use crate::query::{Query, query, text};
use crate::row::row;
use crate::store::BATCH;
use crate::{Hash, Result, Store};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Client {
        pub id: String = "id",
        /// `None` for a public client.
        pub secret_hash: Option<Hash> = "secret_hash",
        pub name: String = "name",
        /// The redirect URIs: a JSON array of strings.
        pub redirect_uris: String = "redirect_uris",
        /// Further metadata: a JSON object.
        pub metadata: String = "metadata",
        /// The client's `token_endpoint_auth_method`.
        pub auth_method: String = "auth_method",
        /// When the client registered, or its document was first fetched.
        pub created_at: DateTime<Utc> = "created_at",
    }
}

const CLIENT: &str = text!("SELECT ", Client::COLUMNS, " FROM clients WHERE id = $1");

const INSERT: &str = text!(
    "INSERT INTO clients (",
    Client::COLUMNS,
    ") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING"
);

const PUT: &str = text!(
    "INSERT INTO clients (",
    Client::COLUMNS,
    ", fetched_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
     redirect_uris = excluded.redirect_uris, metadata = excluded.metadata, fetched_at = excluded.fetched_at"
);

/// How long a client with a metadata document and without a grant is kept. Longer than the lifetime of a fresh document
/// plus that of a consent page and its code, so an active client is fetched again before.
const KEPT: TimeDelta = TimeDelta::days(2);

const EXPIRE: &str = "DELETE FROM clients WHERE id IN (SELECT c.id FROM clients c WHERE c.fetched_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = c.id) \
     AND NOT EXISTS (SELECT 1 FROM codes o WHERE o.client_id = c.id) LIMIT $2)";

impl Client {
    fn insert(&self) -> Query {
        let Self { id, secret_hash, name, redirect_uris, metadata, auth_method, created_at } = self;
        query!(INSERT, id, secret_hash.as_ref(), name, redirect_uris, metadata, auth_method, *created_at)
    }

    fn put(&self, now: DateTime<Utc>) -> Query {
        let Self { id, secret_hash, name, redirect_uris, metadata, auth_method, created_at } = self;
        query!(PUT, id, secret_hash.as_ref(), name, redirect_uris, metadata, auth_method, *created_at, now)
    }
}

impl Store {
    /// Inserts a client. Returns `false` and changes nothing if the id exists.
    pub async fn client_insert(&self, client: &Client) -> Result<bool> {
        Ok(self.execute(client.insert()).await? == 1)
    }

    /// Upserts a client whose metadata document was just fetched. An existing client gets the new name, redirect URIs
    /// and metadata.
    pub async fn client_put(&self, client: &Client, now: DateTime<Utc>) -> Result<()> {
        self.execute(client.put(now)).await.map(|_| ())
    }

    /// Deletes clients without grants and codes whose metadata document was last fetched more than two days ago;
    /// returns how many. Anybody can cause such a row, and the next authorisation request restores it.
    pub async fn clients_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now - KEPT, BATCH)).await
    }

    pub async fn client(&self, id: &str) -> Result<Option<Client>> {
        self.fetch_optional(&query!(CLIENT, id)).await
    }
}
