//! The schema's history, one file a step. A released step is never changed: a further one follows it.

use sea_orm_migration::{MigrationTrait, MigratorTrait};

mod m20261120_000001_foundation;

/// All steps, oldest first.
pub(crate) struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m20261120_000001_foundation::Migration)]
    }
}
