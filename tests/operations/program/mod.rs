//! The server as a program: its commands, settings, TLS, backups, jobs and logs.

mod account_invitations;
mod accounts;
mod backup;
mod backups_refused;
mod commands;
mod database_address;
mod demo;
mod deploying;
mod files_in_s3;
mod jobs;
mod logs;
pub(crate) mod migrating;
pub(crate) mod monitoring;
mod paths;
mod people_commands;
mod places_commands;
mod reading;
mod server_key;
mod settings;
mod stopping;
mod stopping_connections;
mod tls;
mod tls_flags;
