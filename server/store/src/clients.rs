//! Clients: the apps that have registered, and those whose metadata document was fetched.
//!
//! Redirect addresses and metadata are JSON texts to this file.

use chrono::{DateTime, TimeDelta, Utc};

use crate::query::{Query, query, text};
use crate::row::row;
use crate::store::BATCH;
use crate::{Hash, Result, Store};

row! {
    /// A client.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Client {
        /// Its id.
        pub id: String = "id",
        /// The hash of its secret; a public client has none.
        pub secret_hash: Option<Hash> = "secret_hash",
        /// The name travellers see.
        pub name: String = "name",
        /// Where browsers may be sent back to: a JSON array of strings.
        pub redirect_uris: String = "redirect_uris",
        /// What else is known of it: a JSON object.
        pub metadata: String = "metadata",
        /// How it proves itself at the token route.
        pub auth_method: String = "auth_method",
        /// When it registered, or its document was first fetched.
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

/// How long the client of a metadata document is kept that nobody has allowed anything. Longer than a document is fresh and
/// a consent page and its code can be used: whoever asks again has it fetched again.
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
    /// Stores a client; `false` when there is one of this id, which stays as it is.
    pub async fn client_insert(&self, client: &Client) -> Result<bool> {
        Ok(self.execute(client.insert()).await? == 1)
    }

    /// Stores a client whose metadata document was fetched now. If there is one of this id, it gets the new name, redirect
    /// addresses and metadata.
    pub async fn client_put(&self, client: &Client, now: DateTime<Utc>) -> Result<()> {
        self.execute(client.put(now)).await.map(|_| ())
    }

    /// Deletes clients whose metadata document was fetched more than two days ago and to which no grant and no code is given;
    /// returns how many. Anybody can make such a client, and one that is asked for again comes back.
    pub async fn clients_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now - KEPT, BATCH)).await
    }

    /// The client of an id.
    pub async fn client(&self, id: &str) -> Result<Option<Client>> {
        self.fetch_optional(&query!(CLIENT, id)).await
    }
}
