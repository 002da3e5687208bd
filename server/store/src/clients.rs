//! Clients: the apps that have registered, and those whose metadata document was fetched.
//!
//! Redirect addresses and metadata are JSON texts to this file.

use chrono::{DateTime, Utc};

use crate::query::{Query, query, text};
use crate::row::row;
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
    ") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
     redirect_uris = excluded.redirect_uris, metadata = excluded.metadata"
);

impl Client {
    fn insert(&self, statement: &'static str) -> Query {
        let Self { id, secret_hash, name, redirect_uris, metadata, auth_method, created_at } = self;
        let secret_hash = secret_hash.as_ref();
        query!(statement, id, secret_hash, name, redirect_uris, metadata, auth_method, *created_at)
    }
}

impl Store {
    /// Stores a client; `false` when there is one of this id, which stays as it is.
    pub async fn client_insert(&self, client: &Client) -> Result<bool> {
        Ok(self.execute(client.insert(INSERT)).await? == 1)
    }

    /// Stores a client. If there is one of this id, it gets the new name, redirect addresses and metadata.
    pub async fn client_put(&self, client: &Client) -> Result<()> {
        self.execute(client.insert(PUT)).await.map(|_| ())
    }

    /// The client of an id.
    pub async fn client(&self, id: &str) -> Result<Option<Client>> {
        self.fetch_optional(&query!(CLIENT, id)).await
    }
}
