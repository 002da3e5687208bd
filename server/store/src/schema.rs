//! What is written against the schema, for the tests that compare it with the migrated schema.

use crate::entity::{EntityTable, tables};
use crate::query::statement::Statement;
use crate::{DatabaseKind, Store};

/// The statements of each module.
const STATEMENTS: &[&[&Statement]] = &[
    crate::account_facts::STATEMENTS,
    crate::accounts::STATEMENTS,
    crate::audit_log::STATEMENTS,
    crate::backup::hold::STATEMENTS,
    crate::blocks::STATEMENTS,
    crate::calendars::STATEMENTS,
    crate::caller::STATEMENTS,
    crate::changes::STATEMENTS,
    crate::changes::read::STATEMENTS,
    crate::changes::sequence::STATEMENTS,
    crate::clients::STATEMENTS,
    crate::deletion::STATEMENTS,
    crate::deletion::steps::STATEMENTS,
    crate::documents::STATEMENTS,
    crate::explore::STATEMENTS,
    crate::explore::feed::STATEMENTS,
    crate::explore::following::STATEMENTS,
    crate::explore::rank::STATEMENTS,
    crate::export::STATEMENTS,
    crate::follows::STATEMENTS,
    crate::grants::STATEMENTS,
    crate::grants::codes::STATEMENTS,
    crate::grants::families::STATEMENTS,
    crate::grants::page::STATEMENTS,
    crate::grants::tokens::STATEMENTS,
    crate::idempotency::STATEMENTS,
    crate::identities::STATEMENTS,
    crate::invitations::STATEMENTS,
    crate::itineraries::STATEMENTS,
    crate::itineraries::duplicates::STATEMENTS,
    crate::itineraries::statements::STATEMENTS,
    crate::jobs::STATEMENTS,
    crate::library_time::STATEMENTS,
    crate::links::STATEMENTS,
    crate::locks::STATEMENTS,
    crate::mails::STATEMENTS,
    crate::mails::addresses::STATEMENTS,
    crate::mails::links::STATEMENTS,
    crate::marks::STATEMENTS,
    crate::members::STATEMENTS,
    crate::one_time_codes::STATEMENTS,
    crate::passkeys::STATEMENTS,
    crate::moderation::STATEMENTS,
    crate::password_resets::STATEMENTS,
    crate::personal_tokens::STATEMENTS,
    crate::pictures::STATEMENTS,
    crate::pictures::adoption::STATEMENTS,
    crate::population::STATEMENTS,
    crate::provider_answers::STATEMENTS,
    crate::reports::STATEMENTS,
    crate::revisions::STATEMENTS,
    crate::webhooks::STATEMENTS,
    crate::webhooks::deliveries::STATEMENTS,
    crate::webhooks::log::STATEMENTS,
    crate::webhooks::queue::STATEMENTS,
    crate::seed::STATEMENTS,
    crate::sessions::STATEMENTS,
    crate::settings::STATEMENTS,
    crate::sign_up_invitations::STATEMENTS,
    crate::totals::STATEMENTS,
    crate::ways_in::STATEMENTS,
];

impl Store {
    /// The tables, as the entities describe them.
    #[doc(hidden)]
    pub fn entities() -> Vec<EntityTable> {
        tables()
    }

    /// The texts of all statements for an engine.
    #[doc(hidden)]
    pub fn statements(kind: DatabaseKind) -> Vec<&'static str> {
        STATEMENTS.iter().copied().flatten().map(|statement| &**statement.text(kind)).collect()
    }
}
