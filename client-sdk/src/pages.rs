//! Lists as streams: the next page is asked for when the last entry of the one before was taken.

use chrono::{DateTime, FixedOffset};
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::error::ApiError;
use crate::generated::{Client, builder};
use crate::types::{ItinerarySummary, ItinerarySummaryPage, ListFilter};

impl Client {
    /// Begins a list of the traveller's itineraries.
    ///
    /// ```no_run
    /// use futures::TryStreamExt;
    /// use itinerary_sdk::{ApiError, Client, types::ListFilter};
    ///
    /// # async fn example(client: &Client) -> Result<(), ApiError> {
    /// let mut mine = client.itineraries().filter(ListFilter::Owned).stream();
    /// while let Some(summary) = mine.try_next().await? {
    ///     println!("{} from {}", summary.title, summary.start_date);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn itineraries(&self) -> ListRequest<'_> {
        ListRequest { request: self.itinerary_list() }
    }
}

/// Which itineraries to list. All that the traveller owns, shares or has saved, the last changed first, unless said
/// otherwise.
#[derive(Clone, Debug)]
#[must_use]
pub struct ListRequest<'a> {
    request: builder::ItineraryList<'a>,
}

impl<'a> ListRequest<'a> {
    /// Only some of them.
    pub fn filter(self, filter: ListFilter) -> Self {
        Self { request: self.request.filter(filter) }
    }

    /// Only what changed, or came to the traveller, at this instant or later; the first changed first. To go on later
    /// from where a list ended, start a few seconds before the last entry's `updated_at`.
    pub fn updated_since(self, instant: impl Into<DateTime<FixedOffset>>) -> Self {
        Self { request: self.request.updated_since(instant.into()) }
    }

    /// How many entries to ask for at once: 1 to 100, 25 unless set.
    pub fn page_size(self, entries: i32) -> Self {
        Self { request: self.request.limit(entries) }
    }

    /// The entries, one by one. The stream ends after the first error.
    pub fn stream(self) -> BoxStream<'a, Result<ItinerarySummary, ApiError>> {
        self.pages().map_ok(|page| stream::iter(page.data.into_iter().map(Ok))).try_flatten().boxed()
    }

    /// The pages, one by one. The stream ends after the first error.
    pub fn pages(self) -> BoxStream<'a, Result<ItinerarySummaryPage, ApiError>> {
        let Self { request } = self;
        stream::try_unfold(Some(request.clone()), move |next| {
            let request = request.clone();
            async move {
                let Some(next) = next else { return Ok(None) };
                let page = next.send().await?.into_inner();
                let next = page.next_cursor.clone().map(|cursor| request.cursor(cursor));
                Ok(Some((page, next)))
            }
        })
        .boxed()
    }
}
