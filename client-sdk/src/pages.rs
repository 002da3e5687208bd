//! Lists as streams: the next page is requested when the last entry of the previous one is taken.

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::error::ApiError;
use crate::generated::builder;
use crate::types::{
    Change, ChangePage, Invitation, InvitationPage, ListedItinerary, ListedItineraryPage, Profile, ProfilePage,
    Revision, RevisionPage,
};

/// A request for a list that comes in pages, with methods that read all of them.
///
/// ```no_run
/// use itinerary_sdk::{ApiError, Client, Paged, TryStreamExt};
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
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, trip: uuid::Uuid) -> Result<(), Box<dyn std::error::Error>> {
    /// use futures::TryStreamExt;
    /// use itinerary_sdk::Paged;
    ///
    /// let mut pages = client.itinerary_list().pages();
    /// while let Some(page) = pages.try_next().await? {
    ///     println!("a page of {}", page.data.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
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
                Box::pin(self.send())
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

/// A page of changes always has a cursor, for the next time. Only `hasMore` says that there is a next page now.
impl<'a> Paged<'a> for builder::ChangeListRequest<'a> {
    type Entry = Change;
    type Page = ChangePage;

    fn page(self) -> BoxFuture<'a, Result<ChangePage, ApiError>> {
        Box::pin(self.send())
    }

    fn behind(self, cursor: &str) -> Self {
        self.cursor(cursor)
    }

    fn next(page: &ChangePage) -> Option<&str> {
        (page.has_more == Some(true)).then_some(&page.next_cursor)
    }

    fn entries(page: ChangePage) -> Vec<Change> {
        page.data
    }
}

paged! {
    ItineraryListRequest: ListedItineraryPage of ListedItinerary;
    AccountItineraryListRequest: ListedItineraryPage of ListedItinerary;
    ExploreListRequest: ListedItineraryPage of ListedItinerary;
    FollowerListRequest: ProfilePage of Profile;
    FollowingListRequest: ProfilePage of Profile;
    BlockListRequest: ProfilePage of Profile;
    InvitationListRequest: InvitationPage of Invitation;
    RevisionListRequest: RevisionPage of Revision;
}
