//! OAuth clients: apps that have registered, and apps whose metadata document was fetched.
//!
//! Redirect URIs and metadata are opaque JSON texts here.

use chrono::{DateTime, TimeDelta, Utc};

use crate::entity::clients::{self, Column};
use crate::entity::{codes, grants};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query};
use crate::{Hash, Result, Store};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Client {
        pub id: String = clients::Column::Id,
        /// `None` for a public client.
        pub secret_hash: Option<Hash> = clients::Column::SecretHash,
        pub name: String = clients::Column::Name,
        /// The redirect URIs: a JSON array of strings.
        pub redirect_uris: String = clients::Column::RedirectUris,
        /// Further metadata: a JSON object.
        pub metadata: String = clients::Column::Metadata,
        /// The client's `token_endpoint_auth_method`.
        pub auth_method: String = clients::Column::AuthMethod,
        /// When the client registered, or its document was first fetched.
        pub created_at: DateTime<Utc> = clients::Column::CreatedAt,
    }
}

/// The authentication method of clients that stand for a personal access token. They are no OAuth clients.
pub(crate) const PERSONAL_TOKEN: &str = "personal_access_token";

/// How long a client with a metadata document and without a grant is kept. Longer than the lifetime of a fresh document
/// plus that of a consent page and its code, so an active client is fetched again before.
const KEPT: TimeDelta = TimeDelta::days(2);

statements! {
    const CLIENT = clients::Entity::find()
        .select_row::<Client>()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::AuthMethod.ne(PERSONAL_TOKEN));

    const INSERT = insert([
        Column::Id,
        Column::SecretHash,
        Column::Name,
        Column::RedirectUris,
        Column::Metadata,
        Column::AuthMethod,
        Column::CreatedAt,
    ])
    .or_nothing([Column::Id]);

    const PUT = insert([
        Column::Id,
        Column::SecretHash,
        Column::Name,
        Column::RedirectUris,
        Column::Metadata,
        Column::AuthMethod,
        Column::CreatedAt,
        Column::FetchedAt,
    ])
    .or_update([Column::Id], [Column::Name, Column::RedirectUris, Column::Metadata, Column::FetchedAt]);

    const EXPIRE = delete_batch(
        clients::Entity::find()
            .filter(Column::FetchedAt.lte(p(1)))
            .filter(Expr::not_exists(
                grants::Entity::find()
                    .select_found()
                    .filter(grants::Column::ClientId.eq(Column::Id.col()))
                    .into_query(),
            ))
            .filter(Expr::not_exists(
                codes::Entity::find()
                    .select_found()
                    .filter(codes::Column::ClientId.eq(Column::Id.col()))
                    .into_query(),
            )),
    );
}

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
        self.delete_in_batches(query!(EXPIRE, now - KEPT)).await
    }

    /// An OAuth client.
    pub async fn client(&self, id: &str) -> Result<Option<Client>> {
        self.fetch_optional(&query!(CLIENT, id)).await
    }
}
