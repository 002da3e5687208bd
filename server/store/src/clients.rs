//! Clients: the apps that have registered.
//!
//! Redirect addresses and metadata are JSON texts to this file.

use chrono::{DateTime, Utc};

use crate::query::{query, text};
use crate::row::row;
use crate::{Hash, Result, Store};

row! {
    /// A registered client.
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
        /// What was registered besides: a JSON object.
        pub metadata: String = "metadata",
        /// How it proves itself at the token route.
        pub auth_method: String = "auth_method",
        /// When it registered.
        pub created_at: DateTime<Utc> = "created_at",
    }
}

const CLIENT: &str = text!("SELECT ", Client::COLUMNS, " FROM clients WHERE id = $1");

const INSERT: &str = text!(
    "INSERT INTO clients (",
    Client::COLUMNS,
    ") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING"
);

impl Store {
    /// Stores a client; `false` when there is one of this id, which stays as it is.
    pub async fn client_insert(&self, client: &Client) -> Result<bool> {
        let Client { id, secret_hash, name, redirect_uris, metadata, auth_method, created_at } = client;
        let secret_hash = secret_hash.as_ref();
        let insert = query!(INSERT, id, secret_hash, name, redirect_uris, metadata, auth_method, *created_at);
        Ok(self.execute(insert).await? == 1)
    }

    /// The client of an id.
    pub async fn client(&self, id: &str) -> Result<Option<Client>> {
        self.fetch_optional(&query!(CLIENT, id)).await
    }
}
