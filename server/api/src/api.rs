//! The endpoint trait: every operation of the service, with nothing but its signature and its words.

use dropshot::{Body, RequestContext};
use http::Response;

use crate::error::ApiError;
use crate::extract::{
    BytesBody, ClientAddress, Described, FormBody, IfNoneMatch, JsonBody, JsonBytes, Keyed, OptionalJsonBody,
    PathParams, QueryParams, UploadBody, WebRequest,
};
use crate::oauth_error::OAuthError;
use crate::reply::{Empty, Pass, Reply, RpcReply};
use crate::request_state::{Caller, Conditions};
use crate::types::oauth::{
    AuthorisationServerMetadata, AuthoriseQuery, ProtectedResourceMetadata, Registration, RegistrationRequest,
    RevocationRequest, TokenRequest, TokenResponse,
};
use crate::types::{
    Account, AccountListQuery, AccountPatch, AccountPath, AccountQuery, CreateQuery, Day, DayPatch, DayPath,
    DocumentLink, DocumentPatch, DocumentPath, Expense, ExpensePatch, ExpensePath, ExploreQuery, Flight, FlightPatch,
    FlightPath, Health, Hotel, HotelPatch, HotelPath, ImagePath, ItemList, Itinerary, ItineraryCreate, ItineraryPatch,
    ItineraryPath, ItinerarySummary, ListQuery, ListedDocument, Marks, Member, MemberChange, MemberPath, Optimisation,
    OptimiseRequest, PackingItem, PackingItemPatch, PackingPath, Page, PageQuery, PositionQuery, Profile, Report,
    ReportCreate, RpcMessage, SignedPath, Stop, StopMove, StopPatch, StopPath, UploadedDocument, WalletPass,
    WalletPassPath, WalletPassQuery,
};

/// The operations of the Itinerary Planning Service.
#[dropshot::api_description]
pub trait ItineraryApi {
    /// What the handlers are given.
    type Context;

    // ---- itineraries ----

    /// List itineraries
    ///
    /// The itineraries of the traveller's library, newest change first; with `updatedSince` those that have changed or
    /// come into it since then, oldest first. To go on later, begin a few seconds before the moment at which this list
    /// was begun.
    #[endpoint { method = GET, path = "/v1/itineraries", tags = ["Itineraries"] }]
    async fn itinerary_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<ListQuery>,
    ) -> Result<Reply<Page<ItinerarySummary>>, ApiError>;

    /// Create an itinerary
    ///
    /// A destination with a name and a coordinate is all it needs; what else is left out is filled where there is
    /// something to fill it with, and `needsAttention` lists what was not. With `dryRun=true` nothing is stored, and
    /// the answer is a 200 with what would have been.
    #[endpoint { method = POST, path = "/v1/itineraries", tags = ["Itineraries"] }]
    async fn itinerary_create(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<CreateQuery>,
        key: Keyed,
        body: JsonBody<ItineraryCreate>,
    ) -> Result<Reply<Itinerary, 201>, ApiError>;

    /// Read an itinerary
    ///
    /// The sections that the caller may see. The `ETag` is the version to send back in `If-Match` with a change.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}", tags = ["Itineraries"] }]
    async fn itinerary_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change an itinerary
    ///
    /// A merge patch (RFC 7396): a field that is left out stays, null clears it, an object merges, an array replaces
    /// the whole array. What belonged to something that goes stays, and belongs to nothing. Documents have operations of
    /// their own.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}", tags = ["Itineraries"] }]
    async fn itinerary_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryPatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Delete an itinerary
    ///
    /// For everyone it is shared with, and for good. Only its owner may.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}", tags = ["Itineraries"] }]
    async fn itinerary_delete(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> Result<Empty, ApiError>;

    /// Refresh places
    ///
    /// Fills in missing coordinates, addresses, place ids, countries and time zones of stops and hotels, and computes missing
    /// legs. Values that were sent are kept. `needsAttention` lists what was not found. Takes at most 5 seconds. If nothing
    /// changes, the version stays. Rejects with `upstreamFailed` if a provider failed and nothing could be filled in.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/places/refresh", tags = ["Itineraries"] }]
    async fn itinerary_places_refresh(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Set the cover image
    ///
    /// The body is a JPEG, PNG or WebP image of at most 10 MB, 12,000 pixels a side and 40 megapixels; JSON with a `query`
    /// that the server searches for; or empty: the server picks an image. Images are re-encoded without metadata. Unusable
    /// images, and a `query` without results, are rejected with `imageRejected`; a failed search with `upstreamFailed`.
    /// Without an image provider, the cover is drawn. A JSON `url` is rejected.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/cover-image", tags = ["Itineraries"], request_body_max_bytes = 10_485_760 }]
    async fn itinerary_cover_image_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: BytesBody,
    ) -> Result<Reply<Itinerary>, ApiError>;

    // ---- days and stops ----

    /// List days
    ///
    /// Every day with its stops and legs, in their order. The `ETag` is the itinerary's, good for the next change.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/days", tags = ["Days"] }]
    async fn day_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<ItemList<Day>>, ApiError>;

    /// Add a day
    ///
    /// At `position`, or at the end. Ids that are left out are made.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days", tags = ["Days"] }]
    async fn day_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Day>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change a day
    ///
    /// A merge patch (RFC 7396): `stops` and `legs` replace the whole list. When `stops` are sent without `legs`, the
    /// legs whose ends are still neighbours stay.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/days/{dayId}", tags = ["Days"] }]
    async fn day_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: JsonBody<DayPatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Remove a day
    ///
    /// With its stops and legs. What belonged to it or to its stops stays, and belongs to nothing.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/days/{dayId}", tags = ["Days"] }]
    async fn day_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Add a stop
    ///
    /// To the day, at `position`, or at the end. Legs whose ends are no neighbours any more go.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/stops", tags = ["Days"] }]
    async fn stop_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Stop>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change a stop
    ///
    /// A merge patch (RFC 7396): what is left out stays, null clears, `place` and `activity` merge.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}", tags = ["Days"] }]
    async fn stop_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopPatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Remove a stop
    ///
    /// With the legs that begin or end there. What belonged to it stays, and belongs to nothing.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}", tags = ["Days"] }]
    async fn stop_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Move a stop
    ///
    /// Within its day or to another one. In both days, legs between stops that are no longer adjacent are removed;
    /// what belongs to the stop stays with it.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/move", tags = ["Days"] }]
    async fn stop_move(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopMove>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// List activities for a stop
    ///
    /// Returns up to 20 activities for the stop, from the configured provider or, without one, sights within 3 km. Each
    /// entry is a stop without an id and can be posted to the day's stops unchanged. Rejects with `upstreamFailed` if the
    /// provider fails.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/activities", tags = ["Days"] }]
    async fn stop_activity_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
    ) -> Result<Reply<ItemList<Stop>>, ApiError>;

    /// Optimise a day
    ///
    /// Reorders the stops of a day to minimise travel time, computes the legs between them and suggests start times. Stops
    /// with a start time that is not suggested keep it; stops without a coordinate keep their position. `endAt` is
    /// best-effort and takes precedence over travel time. If no order meets every fixed time, the order and the start times
    /// stay unchanged. `dryRun` returns the result without storing it.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/optimise", tags = ["Days"] }]
    async fn day_optimise(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: OptionalJsonBody<OptimiseRequest>,
    ) -> Result<Reply<Optimisation>, ApiError>;

    // ---- flights ----

    /// List flights
    ///
    /// Owner and members see them. The `ETag` is the itinerary's, good for the next change.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/flights", tags = ["Flights"] }]
    async fn flight_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<ItemList<Flight>>, ApiError>;

    /// Add a flight
    ///
    /// At the end of the list. It needs at least one field; its id is made when left out.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/flights", tags = ["Flights"] }]
    async fn flight_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Flight>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change a flight
    ///
    /// A merge patch (RFC 7396): what is left out stays, null clears, an object merges.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/flights/{flightId}", tags = ["Flights"] }]
    async fn flight_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
        body: JsonBody<FlightPatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Remove a flight
    ///
    /// What belonged to it stays, and belongs to nothing.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/flights/{flightId}", tags = ["Flights"] }]
    async fn flight_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    // ---- hotels ----

    /// List hotels
    ///
    /// Owner and members see them. The `ETag` is the itinerary's, good for the next change.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/hotels", tags = ["Hotels"] }]
    async fn hotel_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<ItemList<Hotel>>, ApiError>;

    /// Add a hotel
    ///
    /// At the end of the list. It needs a name; its id is made when left out.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/hotels", tags = ["Hotels"] }]
    async fn hotel_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Hotel>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change a hotel
    ///
    /// A merge patch (RFC 7396): what is left out stays, null clears, an object merges.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/hotels/{hotelId}", tags = ["Hotels"] }]
    async fn hotel_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
        body: JsonBody<HotelPatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Remove a hotel
    ///
    /// What belonged to it stays, and belongs to nothing.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/hotels/{hotelId}", tags = ["Hotels"] }]
    async fn hotel_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    // ---- expenses ----

    /// List expenses
    ///
    /// Owner and members with the Pro subscription see them. The `ETag` is the itinerary's, good for the next change.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/expenses", tags = ["Expenses"] }]
    async fn expense_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<ItemList<Expense>>, ApiError>;

    /// Add an expense
    ///
    /// At the end of the list. It needs a name and an amount; its id is made when left out, and its currency is the
    /// itinerary's.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/expenses", tags = ["Expenses"] }]
    async fn expense_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Expense>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change an expense
    ///
    /// A merge patch (RFC 7396): what is left out stays, null clears, an object merges.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/expenses/{expenseId}", tags = ["Expenses"] }]
    async fn expense_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
        body: JsonBody<ExpensePatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Remove an expense
    ///
    /// For good.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/expenses/{expenseId}", tags = ["Expenses"] }]
    async fn expense_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    // ---- packing ----

    /// List packing items
    ///
    /// Owner and members with the Pro subscription see them. The `ETag` is the itinerary's, good for the next change.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/packing", tags = ["Packing"] }]
    async fn packing_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<ItemList<PackingItem>>, ApiError>;

    /// Add a packing item
    ///
    /// At the end of the list. It needs a name; its id is made when left out.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/packing", tags = ["Packing"] }]
    async fn packing_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<PackingItem>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Change a packing item
    ///
    /// A merge patch (RFC 7396): what is left out stays, null clears, an object merges.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/packing/{packingId}", tags = ["Packing"] }]
    async fn packing_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
        body: JsonBody<PackingItemPatch>,
    ) -> Result<Reply<Itinerary>, ApiError>;

    /// Remove a packing item
    ///
    /// For good.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/packing/{packingId}", tags = ["Packing"] }]
    async fn packing_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
    ) -> Result<Reply<Itinerary>, ApiError>;

    // ---- documents ----

    /// List documents
    ///
    /// The owner and members can list them; no Pro subscription is needed. The `ETag` is the itinerary's, for the next write.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/documents", tags = ["Documents"] }]
    async fn document_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> Result<Reply<ItemList<ListedDocument>>, ApiError>;

    /// Upload a document
    ///
    /// Stores a file of at most 20 MB that was sealed (encrypted) on the traveller's device; the server cannot decrypt it and
    /// stores it unchanged. Accepts age v1 (binary or armored), CMS `EnvelopedData` and `AuthEnvelopedData` (DER or PEM) and JWE
    /// (compact or JSON). Rejects anything else with `documentNotSealed`. Needs the Pro subscription, as owner or editor. Files
    /// count towards the storage quota of the itinerary's owner (default 1 GiB); beyond it, rejects with `conflict`. Changes
    /// the itinerary's version; the `ETag` header has the new one. `If-Match` is not needed. After its first 30 seconds an upload
    /// must arrive at 16 KiB a second or more, otherwise it ends with `requestTimeout`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/documents", tags = ["Documents"], request_body_max_bytes = 21_037_056 }]
    async fn document_upload(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: UploadBody,
    ) -> Result<Reply<UploadedDocument, 201>, ApiError>;

    /// Update a document
    ///
    /// A JSON merge patch (RFC 7396) of `name`, `category` and `belongsTo`. `file` and `mimeType` are read-only: accepted, so that
    /// a document can be sent back as it was read, and ignored. The `ETag` header has the itinerary's new version.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/documents/{documentId}", tags = ["Documents"] }]
    async fn document_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
        body: JsonBody<DocumentPatch>,
    ) -> Result<Reply<ListedDocument>, ApiError>;

    /// Delete a document
    ///
    /// Deletes the document and its file permanently. Links to it stop working. The `ETag` header has the itinerary's new
    /// version.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/documents/{documentId}", tags = ["Documents"] }]
    async fn document_delete(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
    ) -> Result<Empty, ApiError>;

    /// Create a link to a document
    ///
    /// The link is valid for 10 minutes and needs no token. It stops working earlier if the document is deleted, or if the
    /// traveller is no longer a member or disconnects the app; it then answers 404 `notFound`. The file is sent as an attachment,
    /// as it was uploaded, with an `ETag`. `Range` and `If-Range` are supported; a range beyond the end answers 416
    /// `rangeNotSatisfiable`.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/documents/{documentId}/link", tags = ["Documents"] }]
    async fn document_link(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DocumentPath>,
    ) -> Result<Reply<DocumentLink>, ApiError>;

    // ---- wallet passes ----

    /// List wallet passes
    ///
    /// Every hotel, and every flight with two airport codes and a departure date, has passes. The owner and members can list
    /// them. The `ETag` is the itinerary's, for the next write; `If-None-Match` is ignored.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/wallet-passes", tags = ["Wallet passes"] }]
    async fn wallet_pass_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<ItemList<WalletPass>>, ApiError>;

    /// Get a wallet pass
    ///
    /// For `apple`, a signed `.pkpass` file; for `google`, JSON with a link that saves the pass to Google Wallet. Passes have
    /// no barcode. A pass that is already in Google Wallet is not updated. Rejects with `conflict` if a flight lacks an airport
    /// code or its departure date, and with `featureUnavailable` and `Retry-After: 3600` if the server has no certificate for
    /// that wallet.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/wallet-passes/{kind}/{itemId}", tags = ["Wallet passes"] }]
    async fn wallet_pass_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WalletPassPath>,
        query: QueryParams<WalletPassQuery>,
    ) -> Result<Pass, ApiError>;

    // ---- sharing ----

    /// List members
    ///
    /// Those whom the owner shares the itinerary with, in the order in which they came. Only the owner sees them.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/members", tags = ["Sharing"] }]
    async fn member_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<ItemList<Member>>, ApiError>;

    /// Share with a member
    ///
    /// Adds a member, or changes what one may do; only the owner may. It is no change of the itinerary: its version
    /// stays. Who has left an itinerary is not added again.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/members/{accountId}", tags = ["Sharing"] }]
    async fn member_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<MemberPath>,
        body: JsonBody<MemberChange>,
    ) -> Result<Reply<Member>, ApiError>;

    /// Remove a member
    ///
    /// The owner may remove anyone, members may remove themselves, and are then not added again.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/members/{accountId}", tags = ["Sharing"] }]
    async fn member_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<MemberPath>,
    ) -> Result<Empty, ApiError>;

    // ---- marks ----

    /// Read marks
    ///
    /// Whether the caller likes, dislikes or has saved the itinerary, and how many people do.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/marks", tags = ["Marks"] }]
    async fn marks_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<Marks>, ApiError>;

    /// Like an itinerary
    ///
    /// It takes a dislike back. Doing it again changes nothing. The itinerary's version stays.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/like", tags = ["Marks"] }]
    async fn like_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<Marks>, ApiError>;

    /// Take a like back
    ///
    /// Where there is none, nothing changes.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/like", tags = ["Marks"] }]
    async fn like_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<Marks>, ApiError>;

    /// Dislike an itinerary
    ///
    /// Explore's feed leaves it out for the caller from then on. It takes a like back. Nobody else is told.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/dislike", tags = ["Marks"] }]
    async fn dislike_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<Marks>, ApiError>;

    /// Take a dislike back
    ///
    /// Where there is none, nothing changes.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/dislike", tags = ["Marks"] }]
    async fn dislike_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> Result<Reply<Marks>, ApiError>;

    /// Save a copy
    ///
    /// A private copy of the caller's own: what everyone who may see the itinerary sees, with `savedFrom`. Saving it
    /// again answers 200 with the copy that is there. Rejects with `conflict` when the caller owns as many itineraries as
    /// the server's quota allows.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/saves", tags = ["Marks"] }]
    async fn itinerary_save(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
    ) -> Result<Reply<Itinerary, 201>, ApiError>;

    /// Report an itinerary
    ///
    /// For those who run the service. One report of a person is open at a time.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/reports", tags = ["Marks"] }]
    async fn report_create(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: JsonBody<ReportCreate>,
    ) -> Result<Reply<Report, 201>, ApiError>;

    // ---- explore ----

    /// Explore public itineraries
    ///
    /// Without `q` a feed: the best first, in an order that is drawn by chance for each first request and kept by its
    /// `nextCursor`. With `q` those in which the words are. With `following` those of people whom the caller follows,
    /// the newest first; such a page may hold fewer entries than `limit`, even none, and still have a `nextCursor`. A
    /// token is needed, and no scope.
    #[endpoint { method = GET, path = "/v1/explore", tags = ["Explore"] }]
    async fn explore_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<ExploreQuery>,
    ) -> Result<Reply<Page<ItinerarySummary>>, ApiError>;

    // ---- account ----

    /// Read the own account
    ///
    /// The traveller that the token acts for, and what the token may do.
    #[endpoint { method = GET, path = "/v1/account", tags = ["Account"] }]
    async fn account_self(rqctx: RequestContext<Self::Context>, caller: Caller) -> Result<Reply<Account>, ApiError>;

    /// Change the own account
    ///
    /// A merge patch (RFC 7396) of the name for people, the picture and the home place; everything else is ignored.
    #[endpoint { method = PATCH, path = "/v1/account", tags = ["Account"] }]
    async fn account_self_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        body: JsonBody<AccountPatch>,
    ) -> Result<Reply<Account>, ApiError>;

    // ---- people ----

    /// Find a traveller
    ///
    /// By the username, whole; capitals make no difference.
    #[endpoint { method = GET, path = "/v1/accounts", tags = ["People"] }]
    async fn account_find(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<AccountQuery>,
    ) -> Result<Reply<Profile>, ApiError>;

    /// Read a traveller's profile
    ///
    /// As everyone who is signed in sees it.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}", tags = ["People"] }]
    async fn account_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> Result<Reply<Profile>, ApiError>;

    /// List a traveller's itineraries
    ///
    /// Those of the traveller's own that the caller may find: public ones, those for followers if the caller is one,
    /// and those shared with the caller; newest change first.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}/itineraries", tags = ["People"] }]
    async fn account_itinerary_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<AccountListQuery>,
    ) -> Result<Reply<Page<ItinerarySummary>>, ApiError>;

    /// Follow a traveller
    ///
    /// Doing it again changes nothing. Who was removed by the traveller may not follow again.
    #[endpoint { method = PUT, path = "/v1/accounts/{accountId}/follow", tags = ["People"] }]
    async fn follow_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> Result<Empty, ApiError>;

    /// Stop following a traveller
    ///
    /// Who does not follow them is answered the same.
    #[endpoint { method = DELETE, path = "/v1/accounts/{accountId}/follow", tags = ["People"] }]
    async fn follow_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> Result<Empty, ApiError>;

    /// List a traveller's followers
    ///
    /// The newest first.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}/followers", tags = ["People"] }]
    async fn follower_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> Result<Reply<Page<Profile>>, ApiError>;

    /// List whom a traveller follows
    ///
    /// The newest first.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}/following", tags = ["People"] }]
    async fn following_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> Result<Reply<Page<Profile>>, ApiError>;

    /// Remove a follower
    ///
    /// Someone who follows the caller no longer does, and may not again.
    #[endpoint { method = DELETE, path = "/v1/account/followers/{accountId}", tags = ["People"] }]
    async fn follower_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> Result<Empty, ApiError>;

    // ---- sign-in ----

    /// Register an app
    ///
    /// Once for each app (RFC 7591). Without `token_endpoint_auth_method` the app is confidential and gets a secret;
    /// with `none` it is public.
    #[endpoint { method = POST, path = "/oauth/register", tags = ["Sign-in"] }]
    async fn oauth_register(
        rqctx: RequestContext<Self::Context>,
        address: ClientAddress,
        body: JsonBytes<RegistrationRequest>,
    ) -> Result<Reply<Registration, 201>, OAuthError>;

    /// Ask a traveller for permission
    ///
    /// For the traveller's browser, not for programs: it shows pages for signing in and for approving the scopes, and
    /// then goes back to `redirect_uri` with `code`, `state` and `iss`, or with `error=access_denied`.
    #[endpoint { method = GET, path = "/oauth/authorise", tags = ["Sign-in"] }]
    async fn oauth_authorise(
        rqctx: RequestContext<Self::Context>,
        query: Described<AuthoriseQuery>,
        request: WebRequest,
    ) -> Result<Response<Body>, OAuthError>;

    /// Approve or deny
    #[endpoint { method = POST, path = "/oauth/authorise/decision", unpublished = true }]
    async fn oauth_decision(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, OAuthError>;

    /// Get tokens
    ///
    /// For a code (`grant_type=authorization_code`, with the PKCE verifier) or a refresh token
    /// (`grant_type=refresh_token`), which works once: each answer has a new one.
    #[endpoint {
        method = POST,
        path = "/oauth/token",
        content_type = "application/x-www-form-urlencoded",
        tags = ["Sign-in"],
    }]
    async fn oauth_token(
        rqctx: RequestContext<Self::Context>,
        form: FormBody<TokenRequest>,
    ) -> Result<Reply<TokenResponse>, OAuthError>;

    /// Revoke a token
    ///
    /// An access or a refresh token (RFC 7009): the sign-in that it came from ends at once. A token that is not known
    /// answers the same.
    #[endpoint {
        method = POST,
        path = "/oauth/revoke",
        content_type = "application/x-www-form-urlencoded",
        tags = ["Sign-in"],
    }]
    async fn oauth_revoke(
        rqctx: RequestContext<Self::Context>,
        form: FormBody<RevocationRequest>,
    ) -> Result<Reply<serde_json::Map<String, serde_json::Value>>, OAuthError>;

    // ---- discovery ----

    /// Describe the authorisation server
    ///
    /// Its endpoints and what they take (RFC 8414).
    #[endpoint { method = GET, path = "/.well-known/oauth-authorization-server", tags = ["Discovery"] }]
    async fn discovery_authorisation_server(
        rqctx: RequestContext<Self::Context>,
    ) -> Result<Reply<AuthorisationServerMetadata>, ApiError>;

    /// Describe the API as a protected resource
    ///
    /// Which authorisation server gives its tokens (RFC 9728).
    #[endpoint { method = GET, path = "/.well-known/oauth-protected-resource", tags = ["Discovery"] }]
    async fn discovery_protected_resource(
        rqctx: RequestContext<Self::Context>,
    ) -> Result<Reply<ProtectedResourceMetadata>, ApiError>;

    /// Describe the MCP endpoint as a protected resource
    ///
    /// Which authorisation server gives its tokens (RFC 9728).
    #[endpoint { method = GET, path = "/.well-known/oauth-protected-resource/mcp", tags = ["Discovery"] }]
    async fn discovery_protected_resource_mcp(
        rqctx: RequestContext<Self::Context>,
    ) -> Result<Reply<ProtectedResourceMetadata>, ApiError>;

    /// Read this document
    ///
    /// The OpenAPI document of the service, as it is published.
    #[endpoint { method = GET, path = "/openapi.json", tags = ["Discovery"] }]
    async fn openapi_document(
        rqctx: RequestContext<Self::Context>,
    ) -> Result<Reply<serde_json::Map<String, serde_json::Value>>, ApiError>;

    // ---- operations ----

    /// Say that the server runs
    ///
    /// It answers as long as the process does.
    #[endpoint { method = GET, path = "/healthz", tags = ["Operations"] }]
    async fn health_live(rqctx: RequestContext<Self::Context>) -> Result<Reply<Health>, ApiError>;

    /// Say that the server can work
    ///
    /// It answers when the database does.
    #[endpoint { method = GET, path = "/readyz", tags = ["Operations"] }]
    async fn health_ready(rqctx: RequestContext<Self::Context>) -> Result<Reply<Health>, ApiError>;

    // ---- files ----

    /// A document's file, by its link
    #[endpoint { method = GET, path = "/documents/{signed}", unpublished = true }]
    async fn document_file_view(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<SignedPath>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// An image
    #[endpoint { method = GET, path = "/images/{id}", unpublished = true }]
    async fn image_view(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<ImagePath>,
    ) -> Result<Response<Body>, ApiError>;

    /// An image, at most 640 pixels a side
    #[endpoint { method = GET, path = "/images/{id}/small", unpublished = true }]
    async fn image_small_view(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<ImagePath>,
    ) -> Result<Response<Body>, ApiError>;

    // ---- assistants ----

    /// Call the MCP endpoint
    ///
    /// The Model Context Protocol for AI assistants, as JSON-RPC 2.0 over HTTP, one message a request. Serves version
    /// 2026-07-28, and 2024-11-05 to 2025-11-25 with or without the `initialize` handshake; there are no sessions and no
    /// event streams. `tools/list` lists the tools. A tool call needs the scope of the operation that the tool carries out,
    /// and counts against the same rate limit; any other message counts as a read. Errors of the protocol are JSON-RPC
    /// errors with `data: {code, requestId, details}`.
    #[endpoint { method = POST, path = "/mcp", tags = ["MCP"] }]
    async fn mcp(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        body: JsonBytes<RpcMessage>,
    ) -> Result<RpcReply, ApiError>;

    // ---- pages for people ----

    /// Welcome
    #[endpoint { method = GET, path = "/", unpublished = true }]
    async fn page_home(rqctx: RequestContext<Self::Context>, request: WebRequest) -> Result<Response<Body>, ApiError>;

    /// The pages' style sheet
    #[endpoint { method = GET, path = "/style.css", unpublished = true }]
    async fn page_style(rqctx: RequestContext<Self::Context>, request: WebRequest) -> Result<Response<Body>, ApiError>;

    /// The pages' icon
    #[endpoint { method = GET, path = "/icon.svg", unpublished = true }]
    async fn page_icon(rqctx: RequestContext<Self::Context>, request: WebRequest) -> Result<Response<Body>, ApiError>;

    /// Create an account: the form
    #[endpoint { method = GET, path = "/sign-up", unpublished = true }]
    async fn page_sign_up(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Create an account
    #[endpoint { method = POST, path = "/sign-up", unpublished = true }]
    async fn page_sign_up_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Sign in: the form
    #[endpoint { method = GET, path = "/sign-in", unpublished = true }]
    async fn page_sign_in(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Sign in
    #[endpoint { method = POST, path = "/sign-in", unpublished = true }]
    async fn page_sign_in_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Sign out: the form
    #[endpoint { method = GET, path = "/sign-out", unpublished = true }]
    async fn page_sign_out(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Sign out
    #[endpoint { method = POST, path = "/sign-out", unpublished = true }]
    async fn page_sign_out_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// The own account
    #[endpoint { method = GET, path = "/account", unpublished = true }]
    async fn page_account(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Connected apps
    #[endpoint { method = GET, path = "/account/apps", unpublished = true }]
    async fn page_apps(rqctx: RequestContext<Self::Context>, request: WebRequest) -> Result<Response<Body>, ApiError>;

    /// Disconnect an app
    #[endpoint { method = POST, path = "/account/apps", unpublished = true }]
    async fn page_apps_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Change the own password: the form
    #[endpoint { method = GET, path = "/account/password", unpublished = true }]
    async fn page_password(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Change the own password
    #[endpoint { method = POST, path = "/account/password", unpublished = true }]
    async fn page_password_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Download the own data: what is in the archive
    #[endpoint { method = GET, path = "/account/data", unpublished = true }]
    async fn page_data(rqctx: RequestContext<Self::Context>, request: WebRequest) -> Result<Response<Body>, ApiError>;

    /// Download the own data
    #[endpoint { method = POST, path = "/account/data", unpublished = true }]
    async fn page_data_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;

    /// Delete the own account: the form
    #[endpoint { method = GET, path = "/account/delete", unpublished = true }]
    async fn page_delete(rqctx: RequestContext<Self::Context>, request: WebRequest)
    -> Result<Response<Body>, ApiError>;

    /// Delete the own account
    #[endpoint { method = POST, path = "/account/delete", unpublished = true }]
    async fn page_delete_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> Result<Response<Body>, ApiError>;
}
