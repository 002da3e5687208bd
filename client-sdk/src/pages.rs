//! Lists as streams: the next page is requested when the last entry of the previous one is taken.

use chrono::{DateTime, FixedOffset};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::error::ApiError;
use crate::generated::{Client, builder};
use crate::types::{ListFilter, ListedItinerary, ListedItineraryPage, Profile, ProfilePage};

impl Client {
    /// Lists the traveller's itineraries.
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

/// A request for a list of itineraries. By default it lists all that the traveller owns, is a member of or has saved,
/// most recently changed first.
#[derive(Clone, Debug)]
#[must_use]
pub struct ListRequest<'a> {
    request: builder::ItineraryList<'a>,
}

impl<'a> ListRequest<'a> {
    /// Lists only some of the itineraries, such as the traveller's own.
    pub fn filter(self, filter: ListFilter) -> Self {
        Self { request: self.request.filter(filter) }
    }

    /// Lists only itineraries that changed or joined the traveller's library at or after this instant, oldest first. To
    /// synchronise, record the time before each listing starts, and pass that time minus a few seconds next time.
    pub fn updated_since(self, instant: impl Into<DateTime<FixedOffset>>) -> Self {
        Self { request: self.request.updated_since(instant.into()) }
    }

    /// Sets the number of entries to request at once, 1 to 100. Defaults to 25.
    pub fn page_size(self, entries: i32) -> Self {
        Self { request: self.request.limit(entries) }
    }

    /// Streams the entries, requesting pages as needed. Ends after the first error.
    pub fn stream(self) -> BoxStream<'a, Result<ListedItinerary, ApiError>> {
        self.request.stream()
    }

    /// Streams the pages. Ends after the first error.
    pub fn pages(self) -> BoxStream<'a, Result<ListedItineraryPage, ApiError>> {
        self.request.pages()
    }
}

/// A request for a list that comes in pages, with methods that read all of them.
///
/// ```no_run
/// use futures::TryStreamExt;
/// use itinerary_sdk::{ApiError, Client, Paged};
///
/// # async fn example(client: &Client) -> Result<(), ApiError> {
/// let mut found = client.explore_list().q("night market").regions("Asia").stream();
/// while let Some(summary) = found.try_next().await? {
///     println!("{} by {}", summary.title, summary.author.display_name);
/// }
/// # Ok(())
/// # }
/// ```
pub trait Paged<'a>: Clone + Send + Sync + 'a {
    /// The type of the list's entries.
    type Entry: Send + 'a;
    /// The type of one page of the list.
    type Page: Send + 'a;

    /// Requests one page.
    fn page(self) -> BoxFuture<'a, Result<Self::Page, ApiError>>;

    /// Continues the request from a cursor.
    #[must_use]
    fn behind(self, cursor: &str) -> Self;

    /// Returns the cursor of the next page; `None` on the last one.
    fn next(page: &Self::Page) -> Option<&str>;

    /// Takes the entries out of a page.
    fn entries(page: Self::Page) -> Vec<Self::Entry>;

    /// Streams the pages. Ends after the first error.
    fn pages(self) -> BoxStream<'a, Result<Self::Page, ApiError>> {
        stream::try_unfold(Some(self.clone()), move |next| {
            let request = self.clone();
            async move {
                let Some(next) = next else { return Ok(None) };
                let page = next.page().await?;
                let next = Self::next(&page).map(|cursor| request.behind(cursor));
                Ok(Some((page, next)))
            }
        })
        .boxed()
    }

    /// Streams the entries, requesting pages as needed. Ends after the first error.
    fn stream(self) -> BoxStream<'a, Result<Self::Entry, ApiError>> {
        self.pages().map_ok(|page| stream::iter(Self::entries(page).into_iter().map(Ok))).try_flatten().boxed()
    }
}

macro_rules! paged {
    ($($request:ident: $page:ident of $entry:ident;)+) => {
        $(impl<'a> Paged<'a> for builder::$request<'a> {
            type Entry = $entry;
            type Page = $page;

            fn page(self) -> BoxFuture<'a, Result<$page, ApiError>> {
                Box::pin(async move { Ok(self.send().await?.into_inner()) })
            }

            fn behind(self, cursor: &str) -> Self {
                self.cursor(cursor)
            }

            fn next(page: &$page) -> Option<&str> {
                page.next_cursor.as_deref()
            }

            fn entries(page: $page) -> Vec<$entry> {
                page.data
            }
        })+
    };
}

paged! {
    ItineraryList: ListedItineraryPage of ListedItinerary;
    AccountItineraryList: ListedItineraryPage of ListedItinerary;
    ExploreList: ListedItineraryPage of ListedItinerary;
    FollowerList: ProfilePage of Profile;
    FollowingList: ProfilePage of Profile;
}
