//! Tests that are slow by design, because they kill, restart or trace something, fill a disk, or drive a browser.
//! `--skip slow::` leaves them out.

mod browser;
mod cluster;
mod durability;
mod failover;
mod faults;
mod feed_copy;
pub(crate) mod full_disk;
mod io_errors;
mod kills;
mod lost_database;
mod mail;
mod pgbouncer;
mod postgres_restarts;
mod prometheus;
mod readme;
mod redis_failover;
mod redis_restarts;
mod replicas;
mod stopping_under_load;
mod together;
mod upload_full_disk;
mod upload_kills;
mod vanished;
mod webhooks;
