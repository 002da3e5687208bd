//! The methods of a client that are no operations.

use progenitor_client::ClientInfo;

use crate::client_builder::ClientBuilder;
use crate::generated::Client;
use crate::keeper::TokenError;

impl Client {
    /// Starts building a client for the service at this address, such as `https://trips.example`.
    ///
    /// ```
    /// use itinerary_sdk::Client;
    ///
    /// let client = Client::builder("https://trips.example").access_token("secret").build()?;
    /// # Ok::<(), itinerary_sdk::BuildError>(())
    /// ```
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.into())
    }

    /// Returns the address of the service, without a slash at its end.
    ///
    /// ```
    /// let client = itinerary_sdk::Client::builder("https://trips.example/").build()?;
    /// assert_eq!(client.base_url(), "https://trips.example");
    /// # Ok::<(), itinerary_sdk::BuildError>(())
    /// ```
    pub fn base_url(&self) -> &str {
        self.baseurl()
    }

    /// Returns the access token that the next request would carry, refreshed if needed. For requests that have no
    /// operation in this SDK. `None` for a client without credentials.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client) -> Result<(), itinerary_sdk::TokenError> {
    /// if let Some(token) = client.access_token().await? {
    ///     println!("curl -H 'Authorization: Bearer {token}' …");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn access_token(&self) -> Result<Option<String>, TokenError> {
        self.inner().token().await
    }
}
