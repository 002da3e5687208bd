//! Clients: the apps that have registered.
//!
//! Redirect addresses and metadata are JSON texts to this file.

use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, TryInsertResult};

use crate::entity::clients;
use crate::row::{hash, millis, time};
use crate::store::retry;
use crate::{Hash, Result, Store, StoreError};

/// A registered client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// The hash of its secret; a public client has none.
    pub secret_hash: Option<Hash>,
    /// The name travellers see.
    pub name: String,
    /// Where browsers may be sent back to: a JSON array of strings.
    pub redirect_uris: String,
    /// What was registered besides: a JSON object.
    pub metadata: String,
    /// How it proves itself at the token route.
    pub auth_method: String,
    /// When it registered.
    pub created_at: DateTime<Utc>,
}

impl TryFrom<clients::Model> for Client {
    type Error = StoreError;

    fn try_from(model: clients::Model) -> Result<Self> {
        Ok(Self {
            id: model.id,
            secret_hash: model.secret_hash.map(hash).transpose()?,
            name: model.name,
            redirect_uris: model.redirect_uris,
            metadata: model.metadata,
            auth_method: model.auth_method,
            created_at: time(model.created_at)?,
        })
    }
}

impl Store {
    /// Stores a client; `false` when there is one of this id, which stays as it is.
    pub async fn client_insert(&self, client: &Client) -> Result<bool> {
        let row = clients::Model {
            id: client.id.clone(),
            secret_hash: client.secret_hash.map(|hash| hash.to_vec()),
            name: client.name.clone(),
            redirect_uris: client.redirect_uris.clone(),
            metadata: client.metadata.clone(),
            auth_method: client.auth_method.clone(),
            created_at: millis(client.created_at),
        };
        retry(|| async {
            let inserted = clients::Entity::insert(row.clone().into_active_model().reset_all())
                .on_conflict_do_nothing_on([clients::Column::Id])
                .exec_without_returning(&self.writer)
                .await?;
            Ok(matches!(inserted, TryInsertResult::Inserted(1)))
        })
        .await
    }

    /// The client of an id.
    pub async fn client(&self, id: &str) -> Result<Option<Client>> {
        clients::Entity::find_by_id(id).one(&self.reader).await?.map(Client::try_from).transpose()
    }
}
