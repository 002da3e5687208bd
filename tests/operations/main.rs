//! Tests of running the server: several servers on one database, restarts of what they need, backups, and commands. Each
//! starts the real program (`tests/src/program.rs`), and PostgreSQL and Redis if they are installed.

mod accounts;
mod authority;
mod backup;
mod backups_refused;
mod cluster;
mod demo;
mod deploying;
mod full_disk;
mod io_errors;
mod jobs;
mod keep_alive;
mod load;
mod logs;
mod lost_database;
mod migrating;
mod monitoring;
mod paths;
mod pgbouncer;
mod postgres_restarts;
mod prometheus;
mod reading;
mod redis;
mod redis_restarts;
mod replicas;
mod server_key;
mod servers;
mod settings;
mod stopping;
mod stopping_under_load;
mod tls;
