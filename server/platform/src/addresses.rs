//! The addresses of this server's pictures, and how it recognises them.

use itinerary_core::ids;
use itinerary_store::Store;
use url::Url;
use uuid::Uuid;

use crate::settings::Config;

/// Where the server is reached, and where it was before.
#[derive(Debug)]
pub struct Addresses {
    base_url: String,
    /// The present address, then the former ones.
    own: Vec<Url>,
    /// See [`Addresses::mark`].
    mark: String,
}

impl Addresses {
    pub fn new(config: &Config) -> Self {
        let all = std::iter::once(&config.base_url).chain(&config.former_base_urls);
        let own = all.filter_map(|url| Url::parse(url).ok()).collect();
        Self { base_url: config.base_url.clone(), own, mark: String::new() }
    }

    /// Compares the address with the one under which the database was first served.
    pub async fn settle(
        &mut self,
        store: &Store,
        config: &Config,
        now: chrono::DateTime<chrono::Utc>,
    ) -> Result<(), itinerary_store::StoreError> {
        let first = config.former_base_urls.first().unwrap_or(&self.base_url);
        let first = store.first_base_url(first, now).await?;
        self.mark = if first == self.base_url { String::new() } else { short_hash(&self.base_url) };
        Ok(())
    }

    /// Stands for the present address in the tags of what contains it. Empty under the first address.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The address of a picture.
    pub fn of(&self, picture: Uuid) -> String {
        let mut id = Uuid::encode_buffer();
        [&self.base_url, "/images/", picture.as_hyphenated().encode_lower(&mut id)].concat()
    }

    /// The picture of this server at an address, in either size.
    pub fn picture_at(&self, address: &str) -> Option<Uuid> {
        let url = Url::parse(address).ok()?;
        let is_own = self.own.iter().any(|own| own.origin() == url.origin());
        let id = url.path().strip_prefix("/images/").filter(|_| is_own)?;
        Uuid::try_parse(id.strip_suffix("/small").unwrap_or(id)).ok()
    }
}

fn short_hash(text: &str) -> String {
    let hash = ids::hash(text);
    let first = hash.first_chunk().expect("a hash has 32 bytes");
    format!("{:08x}", u32::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use super::*;

    #[test]
    fn pictures_are_recognised_under_present_and_former_addresses() {
        let mut config = Config::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)));
        config.base_url = "https://trips.example".to_owned();
        config.former_base_urls = vec!["http://127.0.0.1:8080".to_owned()];
        let addresses = Addresses::new(&config);
        let id = Uuid::from_u128(7);
        assert_eq!(addresses.of(id), format!("https://trips.example/images/{id}"));
        for own in ["https://trips.example", "https://TRIPS.example:443", "http://127.0.0.1:8080"] {
            for end in ["", "/small", "?width=1", "#a"] {
                assert_eq!(addresses.picture_at(&format!("{own}/images/{id}{end}")), Some(id), "{own} {end}");
            }
        }
        for other in ["http://trips.example", "https://other.example", "https://trips.example/x", "trips.example"] {
            assert_eq!(addresses.picture_at(&format!("{other}/images/{id}")), None, "{other}");
        }
        assert_eq!(addresses.picture_at("https://trips.example/images/7"), None);
    }
}
