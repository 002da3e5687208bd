//! What every test stands on: a world with a server, a clock, travellers and their tokens.

pub(crate) mod app;
pub(crate) mod bodies;
pub(crate) mod postgres;
pub(crate) mod raw;
pub(crate) mod sql;
pub(crate) mod world;

pub(crate) use raw::Answer;
pub(crate) use world::{Database, World};

/// A test on every database: `on_each_database! { async fn name(world: World) { … } }` makes `name::sqlite` and
/// `name::postgres`. A world with other settings: `async fn name(world: World with |config| config.limits = false)`.
macro_rules! on_each_database {
    ($(#[$meta:meta])* async fn $name:ident($world:ident: World) $body:block) => {
        crate::support::on_each_database! { $(#[$meta])* async fn $name($world: World with |_config| ()) $body }
    };
    ($(#[$meta:meta])* async fn $name:ident($world:ident: World with $configure:expr) $body:block) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "not every test needs what its module imports")]
            use super::*;

            async fn body($world: crate::support::World) $body

            #[tokio::test(flavor = "multi_thread")]
            async fn sqlite() {
                let database = crate::support::Database::sqlite();
                body(crate::support::World::start(database, $configure).await).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn postgres() {
                let Some(database) = crate::support::Database::postgres() else { return };
                body(crate::support::World::start(database, $configure).await).await;
            }
        }
    };
}
pub(crate) use on_each_database;
