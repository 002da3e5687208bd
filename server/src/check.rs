//! Checks the configuration as the start of the service would, but without using network or database, and without creating
//! anything.

use std::sync::Arc;

use itinerary_core::clock::Clock;
use itinerary_platform::limits::CounterServer;
use itinerary_platform::ports::Ports;
use itinerary_platform::settings::{Access, Config, KeyPlace, Limits, Storage};
use itinerary_platform::system::SystemClock;
use itinerary_platform::tls::Identity;
use itinerary_store::Store;

use crate::serve::StartError;
use crate::server_key::{self, KeyError};

/// The first error of the configuration. Each group of settings that can be wrong in itself or whose files are read at start
/// has its check here.
pub(crate) fn check(storage: &Storage, config: &Config) -> Result<(), StartError> {
    let database_url = storage.database_url();
    Store::check_url(&database_url)?;
    if let Some(replica) = &config.replica.database_replica_url {
        Store::check_replica_url(&database_url, replica).map_err(StartError::Replica)?;
    }
    if let Limits::Shared(url) = &config.limit_settings.from {
        url.parse::<CounterServer>().map_err(StartError::LimitsUrl)?;
    }
    let key = storage.key_file();
    if key.exists() {
        server_key::read(&key)?;
    } else if config.no_migrate && storage.database.server_key == KeyPlace::File {
        return Err(KeyError::NoFile(key).into());
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Identity::load(&config.tls, &clock)?;
    Ok(Ports::check(config, &storage.with_access(Access::Existing))?)
}
