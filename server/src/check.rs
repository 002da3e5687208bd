//! Checks the configuration as the start of the service would, but without using network or database, and without creating
//! anything.

use itinerary_store::Store;

use crate::config::{Access, Config, Storage};
use crate::ports::Ports;
use crate::serve::{StartError, load_key};
use crate::system::SystemRandom;

/// The first error of the configuration. Each group of settings that can be wrong in itself or whose files are read at start
/// has its check here.
pub(crate) fn check(storage: &Storage, config: &Config) -> Result<(), StartError> {
    Store::check_url(&storage.database_url())?;
    let key = storage.key_file();
    if key.exists() {
        load_key(&key, &SystemRandom)?;
    } else if config.no_migrate {
        return Err(StartError::NoKey(key));
    }
    Ports::check(config, &storage.with_access(Access::Existing))
}
