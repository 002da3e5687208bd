//! The tables: one file each, the one place that names columns and their types.
//!
//! Statements and rows take their columns from here. The migrations remain SQL, because SQLite's `STRICT` tables take
//! fewer types than sea-orm would write; a test compares every entity with the migrated schema of both engines.

#![expect(unreachable_pub, reason = "entities look as in sea-orm's documentation")]

use sea_orm::sea_query::ColumnType;
use sea_orm::{ColumnTrait, EntityTrait, IdenStatic, Iterable};

/// An instant, in milliseconds since 1970.
type Millis = i64;

/// A table as its entity describes it, for the test that compares it with the schema.
#[doc(hidden)]
#[derive(Debug)]
pub struct EntityTable {
    pub name: &'static str,
    pub columns: Vec<EntityColumn>,
}

/// A column as its entity describes it.
#[doc(hidden)]
#[derive(Debug)]
pub struct EntityColumn {
    pub name: &'static str,
    pub kind: &'static str,
    pub nullable: bool,
}

/// Declares the modules of entities, and lists them.
macro_rules! entities {
    ($($table:ident),* $(,)?) => {
        $(pub(crate) mod $table;)*

        /// Every table, as its entity describes it.
        pub(crate) fn tables() -> Vec<EntityTable> {
            vec![$(table::<$table::Entity>()),*]
        }
    };
}

entities! {
    account_counters,
    accounts,
    answer_usage,
    audit_log,
    blocks,
    calendars,
    change_feed,
    changes,
    clients,
    codes,
    consent_answers,
    departures,
    document_usage,
    documents,
    explore,
    feed,
    follows,
    former_pictures,
    former_usernames,
    gazetteer,
    gazetteer_keys,
    grants,
    hidden,
    idempotency,
    identities,
    invitations,
    itineraries,
    itinerary_counters,
    jobs,
    links,
    loose_files,
    mail_addresses,
    mails,
    members,
    new_changes,
    one_time_codes,
    passkeys,
    password_resets,
    personal_tokens,
    pictures,
    provider_answers,
    reactions,
    recent_writers,
    recovery_codes,
    removed_followers,
    reports,
    revisions,
    sent_invitations,
    sessions,
    settings,
    sign_up_invitations,
    suspensions,
    tokens,
    unverified_addresses,
    views,
    warnings,
    webhook_deliveries,
    webhook_queue,
    webhooks,
}

fn table<E: EntityTrait>() -> EntityTable {
    let columns = E::Column::iter().map(|column| {
        let definition = column.def();
        EntityColumn { name: column.as_str(), kind: kind(definition.get_column_type()), nullable: definition.is_null() }
    });
    EntityTable { name: E::default().table_name(), columns: columns.collect() }
}

/// The word for a type in the migrations, without its braces.
fn kind(column: &ColumnType) -> &'static str {
    match column {
        ColumnType::Uuid => "uuid",
        ColumnType::VarBinary(_) => "bytes",
        ColumnType::BigInteger => "int",
        ColumnType::SmallInteger => "small",
        ColumnType::Double => "double",
        ColumnType::String(_) => "text",
        other => unreachable!("no table has a column of the type {other:?}"),
    }
}
