//! Members: those besides its owner whom an itinerary is shared with.

use sea_orm_migration::async_trait::async_trait;
use sea_orm_migration::{DbErr, MigrationName, MigrationTrait, SchemaManager};

use super::execute;

/// This step.
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m20261121_000001_members"
    }
}

#[async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        execute(manager, SCHEMA).await
    }
}

const SCHEMA: &str = "
CREATE TABLE members (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    created_at {int} NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) {end};
CREATE INDEX members_account ON members (account_id);
";
