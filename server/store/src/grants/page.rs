//! The page of connected apps.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::entity::clients;
use crate::entity::grants::{self, Column};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::prelude::*;
use crate::query::statement::statements;
use crate::{Result, Store};

row! {
    /// An active grant.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ConnectedApp {
        pub grant_id: Uuid = grants::Column::Id,
        pub client_id: String = grants::Column::ClientId,
        pub client_name: String = clients::Column::Name,
        /// The app's redirect URIs, a JSON array. `redirect::hosts` of the core crate extracts their hosts.
        pub redirect_uris: String = clients::Column::RedirectUris,
        pub scope: String = grants::Column::Scope,
        /// The resource to which it is bound (RFC 8707).
        pub resource: Option<String> = grants::Column::Resource,
        pub created_at: DateTime<Utc> = grants::Column::CreatedAt,
        /// When the app last got tokens, which it may have used for an hour after that.
        pub last_used_at: DateTime<Utc> = grants::Column::LastUsedAt,
    }
}

statements! {
    const FIRST = page().limit_p(3);

    const LATER = page()
        .filter(Expr::tuple([Column::CreatedAt.col(), Column::Id.col()]).lt(Expr::tuple([p(4), p(5)])))
        .limit_p(3);

    const COUNT = grants::Entity::find().select_count().filter(is_active());

    const SCOPES = grants::Entity::find()
        .select_only()
        .column(Column::Scope)
        .filter(is_active())
        .filter(Column::ClientId.eq(p(3)))
        .filter(Column::Resource.is_not_distinct_from(p(4)));
}

/// The active grants, newest first.
fn page() -> Select<grants::Entity> {
    grants::Entity::find()
        .inner_join(clients::Entity)
        .select_row::<ConnectedApp>()
        .filter(is_active())
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
}

/// Of the account $1, at the time $2.
fn is_active() -> Expr {
    Column::AccountId.eq(p(1)).and(Column::RevokedAt.is_null()).and(Column::ExpiresAt.gt(p(2)))
}

impl Store {
    /// A page of at most `limit` active grants of an account, newest first. A later page continues after the
    /// `created_at` and `grant_id` of the last row; request one row more than the page shows to know whether there is a
    /// next page.
    pub async fn grant_page(
        &self,
        account_id: Uuid,
        now: DateTime<Utc>,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<ConnectedApp>> {
        let limit = i64::from(limit);
        match after {
            None => self.fetch_page(query!(FIRST, account_id, now, limit)).await,
            Some((instant, id)) => self.fetch_page(query!(LATER, account_id, now, limit, instant, id)).await,
        }
    }

    /// The number of active grants of an account.
    pub async fn grant_count(&self, account_id: Uuid, now: DateTime<Utc>) -> Result<i64> {
        Ok(self.fetch_optional(&query!(COUNT, account_id, now)).await?.unwrap_or_default())
    }

    /// The scopes of each active grant of an account for a client and a resource.
    pub async fn granted_scopes(
        &self,
        account_id: Uuid,
        client_id: &str,
        resource: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Vec<String>> {
        self.fetch_all(&query!(SCOPES, account_id, now, client_id, resource)).await
    }
}
