//! Lists as streams: the next page is asked for when the last entry of the one before was taken.

use chrono::{DateTime, FixedOffset};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::error::ApiError;
use crate::generated::{Client, builder};
use crate::types::{ListFilter, ListedItinerary, ListedItineraryPage, Profile, ProfilePage};

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

/// Which itineraries to list. All that the traveller owns, is shared with or has saved, the last changed first, unless said
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

    /// Only what changed, or came to the traveller, at this instant or later; the first changed or come first. To go on
    /// later, start a few seconds before the moment at which this list was begun: an entry tells its own change, not when
    /// it came.
    pub fn updated_since(self, instant: impl Into<DateTime<FixedOffset>>) -> Self {
        Self { request: self.request.updated_since(instant.into()) }
    }

    /// How many entries to ask for at once: 1 to 100, 25 unless set.
    pub fn page_size(self, entries: i32) -> Self {
        Self { request: self.request.limit(entries) }
    }

    /// The entries, one by one. The stream ends after the first error.
    pub fn stream(self) -> BoxStream<'a, Result<ListedItinerary, ApiError>> {
        self.request.stream()
    }

    /// The pages, one by one. The stream ends after the first error.
    pub fn pages(self) -> BoxStream<'a, Result<ListedItineraryPage, ApiError>> {
        self.request.pages()
    }
}

/// A request for a page of a list, from which the pages behind it can be asked for too.
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
    /// What the list has.
    type Entry: Send + 'a;
    /// A page of it.
    type Page: Send + 'a;

    /// Asks for one page.
    fn page(self) -> BoxFuture<'a, Result<Self::Page, ApiError>>;

    /// The same request for what comes behind a cursor.
    #[must_use]
    fn behind(self, cursor: &str) -> Self;

    /// The cursor of what comes behind a page.
    fn next(page: &Self::Page) -> Option<&str>;

    /// The entries of a page.
    fn entries(page: Self::Page) -> Vec<Self::Entry>;

    /// The pages, one by one. The stream ends after the first error.
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

    /// The entries, one by one. The stream ends after the first error.
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
