//! The endpoint trait: the signature, summary and description of every operation.
//!
//! A last paragraph that starts with "Returns " becomes the description of the success response.

use dropshot::{Body, RequestContext};
use http::Response;

use crate::extract::{
    BytesBody, ClientAddress, Described, DescribedPath, FormBody, IfNoneMatch, JsonBody, JsonBytes, Keyed,
    OptionalJsonBody, PathParams, QueryParams, UploadBody, WebRequest,
};
use crate::reply::{ApiResponse, Changes, Empty, Export, OAuthResponse, Pass, Reply, RpcReply};
use crate::request_state::{Caller, Conditions};
use crate::types::oauth::{
    AuthorisationServerMetadata, AuthoriseQuery, ProtectedResourceMetadata, Registration, RegistrationRequest,
    RevocationRequest, TokenRequest, TokenResponse,
};
use crate::types::{
    Account, AccountListQuery, AccountPatch, AccountPath, AccountQuery, CalendarPath, ChangeQuery, CreateQuery, Day,
    DayMove, DayPatch, DayPath, DeliveryPath, DocsPath, DocumentLink, DocumentPatch, DocumentPath, Expense,
    ExpensePatch, ExpensePath, ExploreQuery, ExportQuery, Flight, FlightPatch, FlightPath, Health, Hotel, HotelPatch,
    HotelPath, ImagePath, ImportQuery, ImportResult, Invitation, ItemList, Itinerary, ItineraryCreate, ItineraryPatch,
    ItineraryPath, ItineraryShift, Link, LinkCreate, LinkPath, ListQuery, ListedDocument, ListedItinerary, Marks,
    Member, MemberChange, MemberPath, Optimisation, OptimiseRequest, PackingItem, PackingItemPatch, PackingPath, Page,
    PageQuery, PositionQuery, Profile, ProviderPath, Report, ReportCreate, Reservation, ReservationPatch,
    ReservationPath, Revision, RevisionPath, RpcMessage, SecretPath, SignedPath, Stop, StopMove, StopPatch, StopPath,
    StopSuggestion, Transport, TransportPatch, TransportPath, TripPath, UploadedDocument, WalletPass, WalletPassPath,
    WalletPassQuery, Webhook, WebhookCreate, WebhookDelivery, WebhookPatch, WebhookPath,
};

/// The operations of the Itinerary Planning Service.
#[dropshot::api_description]
pub trait ItineraryApi {
    /// The server's state, which dropshot passes to every handler.
    type Context;

    // ---- itineraries ----

    /// List itineraries
    ///
    /// Lists the itineraries in the caller's library, most recently changed first. With `updatedSince`, lists those
    /// that changed or joined the library at or after that instant, oldest first. To keep a copy up to date, follow
    /// `GET /v1/changes` instead, which has deletions too and misses nothing.
    ///
    /// Returns one page of itineraries, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/itineraries", tags = ["Itineraries"] }]
    async fn itinerary_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<ListQuery>,
    ) -> ApiResponse<Reply<Page<ListedItinerary>>>;

    /// Create an itinerary
    ///
    /// Only a destination with a name and a coordinate is required. Other fields get defaults where one can be
    /// determined; `needsAttention` lists the rest. The itinerary is always created `private`. With `dryRun=true`,
    /// validates and fills in everything, stores nothing and responds with 200. Rejects with `duplicateItinerary` if
    /// the caller already owns an itinerary with the same destination and start date, unless `allowDuplicate` is true,
    /// and with `conflict` if the caller owns as many itineraries as the server's quota allows (default 2,000).
    ///
    /// Returns the created itinerary, with its version in `ETag` and its path in `Location`.
    #[endpoint { method = POST, path = "/v1/itineraries", tags = ["Itineraries"] }]
    async fn itinerary_create(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<CreateQuery>,
        key: Keyed,
        body: JsonBody<ItineraryCreate>,
    ) -> ApiResponse<Reply<Itinerary, 201>>;

    /// Read an itinerary
    ///
    /// Includes only the sections that the caller may see. Send the `ETag` back in `If-Match` with the next write.
    ///
    /// Returns the itinerary, with its version in `ETag`.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}", tags = ["Itineraries"] }]
    async fn itinerary_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Export an itinerary
    ///
    /// Converts the itinerary to a calendar (`ics`), a map (`gpx`, `geojson`, `kml`) or a text (`md`, `html`), and includes
    /// only the sections that the caller may see. The format is that of the query or, if absent, that of `Accept` with the
    /// highest quality; media types with wildcards are ignored. If neither names a format, rejects with `validationFailed`
    /// on `format`. The `ETag` belongs to one format; in `If-Match`, it names the itinerary's version like any other.
    ///
    /// Returns the export as a file.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/export", tags = ["Itineraries"] }]
    async fn itinerary_export(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<ExportQuery>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Export>;

    /// Update an itinerary
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges and an
    /// array replaces the whole array. Also accepts the media type `application/merge-patch+json`. Expenses, packing
    /// items and documents that belonged to a removed item are kept, and their `belongsTo` is cleared. Documents cannot
    /// be changed here; use the document operations. `null` and `[]` for a section that the caller is not shown
    /// (`expenses` and `packing` without Pro, `documents` without the scope) are no change, so an itinerary can be sent
    /// back as it was read.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}", tags = ["Itineraries"] }]
    async fn itinerary_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Delete an itinerary
    ///
    /// Deletes the itinerary with its images and documents, for everyone it is shared with. This cannot be undone. Only
    /// the owner can delete it. Copies that other travellers saved are kept.
    ///
    /// Returns no content: the itinerary is deleted.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}", tags = ["Itineraries"] }]
    async fn itinerary_delete(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResponse<Empty>;

    /// Move an itinerary to other dates
    ///
    /// Moves `startDate` and the dates of flights, hotels, transports, reservations and expenses by the same number of days.
    /// Local times stay; where the time zone of a place is known, the offset is that of the new date. `needsAttention` lists
    /// what was booked for the old dates (`bookingMayBeInvalid`): items with a confirmation number or tickets.
    ///
    /// Returns the updated itinerary, with its version in `ETag`; with `dryRun`, the moved itinerary
    /// without storing it, with the stored version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/shift", tags = ["Itineraries"] }]
    async fn itinerary_shift(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryShift>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Refresh places
    ///
    /// Fills in missing coordinates, addresses, place ids, countries and time zones of stops and hotels, and computes
    /// missing legs. Existing values are kept, except estimated legs that a route provider can compute. An address that no
    /// provider has is the town and the country, such as `Lisbon, Portugal`. `needsAttention` lists what was not found:
    /// `notPlaced` for coordinates, `notFilled` for the other fields. Takes at most 5 seconds. If nothing changes, the
    /// version stays the same. Rejects with `upstreamFailed` if a provider failed and nothing could be filled in.
    ///
    /// Returns the itinerary with the places and legs that were found.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/places/refresh", tags = ["Itineraries"] }]
    async fn itinerary_places_refresh(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Set the cover image
    ///
    /// The body is a JPEG, PNG or WebP image of at most 10 MB, 12,000 pixels a side and 40 megapixels; JSON with a
    /// `query` that the server searches for; or empty, in which case the server picks an image. A JSON `url` is
    /// rejected. Images are re-encoded as sRGB, without metadata. Of one account, 120 megapixels a minute are decoded;
    /// beyond that the image is rejected with `rateLimited`. Rejects with `imageRejected` if the image cannot be used,
    /// its colours cannot be converted (HDR, CMYK with a profile, an unreadable profile) or the `query` has no
    /// results, and with `upstreamFailed` if the search fails. If no image provider is configured, the server draws the
    /// cover.
    ///
    /// Returns the updated itinerary, with the address of the image in `coverImage`.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/cover-image", tags = ["Itineraries"], request_body_max_bytes = 10_485_760 }]
    async fn itinerary_cover_image_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: BytesBody,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- imports ----

    /// Read files
    ///
    /// Finds bookings, places and trips in files, and drafts an itinerary of them or, with `itineraryId`, an update. Stores
    /// nothing: review the result, then send `itinerary` to `itinerary_create` or `itinerary_update`.
    ///
    /// The body is one file of at most 5 MB (5,242,880 bytes) of any media type, or a multipart form with up to 20 such files
    /// in fields named `file`, at most 20 MB (20,971,520 bytes) in all. A file's format is detected from its content: mails;
    /// web pages and JSON with schema.org reservations; passes of Apple Wallet; barcodes of boarding passes; iCalendar; GPX,
    /// KML and KMZ; exports of this service as JSON, and those of TripIt, AdventureLog and TREK. Texts without such data, PDFs
    /// and images are read only if the operator has set up an extractor for them. Nothing is fetched from addresses in files.
    ///
    /// With `itineraryId`, empty fields of bookings that the itinerary has are filled, and new ones added. Fields that differ
    /// are listed in `changes` and replaced only with `overwrite`. `itinerary` then has the lists that change; send it with
    /// the `etag` in `If-Match`. Prices become expenses if the caller has the Pro subscription. Cancelled bookings are listed in
    /// `ignored`; nothing is removed. Rejects with `validationFailed` on `file` if no file has anything to import.
    ///
    /// Returns the draft, what was found, and what was ignored.
    #[endpoint { method = POST, path = "/v1/imports", tags = ["Imports"], request_body_max_bytes = 20_971_520 }]
    async fn import_read(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<ImportQuery>,
        body: UploadBody,
    ) -> ApiResponse<Reply<ImportResult>>;

    // ---- revisions ----

    /// List revisions
    ///
    /// Lists the versions of the itinerary that are kept, newest first: the last 50 of the last 90 days, at most 1 MB for
    /// an itinerary and 50 MB for an owner, the oldest of which are deleted first. The owner sees all of them; an editor
    /// sees those since joining. Others are rejected with `forbidden`.
    ///
    /// Returns one page of revisions, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/revisions", tags = ["Revisions"] }]
    async fn revision_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Revision>>>;

    /// Read a revision
    ///
    /// Reads the itinerary as it was in a version, in the sections that the caller may see today, without documents. The
    /// response has no `ETag`. Rejects with `notFound` if the version is not kept, or was replaced before the caller
    /// became a member.
    ///
    /// Returns the itinerary as it was.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/revisions/{version}", tags = ["Revisions"] }]
    async fn revision_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<RevisionPath>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Restore a revision
    ///
    /// Gives the itinerary the content that it had in a version, as a new version. Documents, members,
    /// visibility and the cover are kept; a cover that the server drew is drawn again for the restored route. Sections that
    /// the caller may not change are kept too (`expenses` and `packing` without Pro). A `belongsTo` whose item does not
    /// exist is cleared. If nothing would change, the version stays the same.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/revisions/{version}/restore", tags = ["Revisions"] }]
    async fn revision_restore(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<RevisionPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- days and stops ----

    /// List days
    ///
    /// Lists the days in order, each with its stops and legs. The `ETag` is the itinerary's; send it back in `If-Match`
    /// with the next write.
    ///
    /// Returns all days of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/days", tags = ["Days"] }]
    async fn day_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Day>>>;

    /// Add a day
    ///
    /// Inserts a day at `position`, or at the end. Days and stops without an `id` get one.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days", tags = ["Days"] }]
    async fn day_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Day>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a day
    ///
    /// Applies a JSON merge patch (RFC 7396); `stops` and `legs` each replace the whole list. If `stops` is sent
    /// without `legs`, legs between stops that are no longer adjacent are removed and missing ones computed. Also accepts
    /// the media type `application/merge-patch+json`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/days/{dayId}", tags = ["Days"] }]
    async fn day_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: JsonBody<DayPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a day
    ///
    /// Removes the day with its stops and legs. Expenses, packing items and documents that belonged to the day or to
    /// one of its stops are kept, and their `belongsTo` is cleared.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/days/{dayId}", tags = ["Days"] }]
    async fn day_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Add a stop
    ///
    /// Inserts a stop into the day at `position`, or at the end. Legs between stops that are no longer adjacent are
    /// removed. A stop without a coordinate is placed on the map by its name; `needsAttention` lists it if no place is
    /// found.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/stops", tags = ["Days"] }]
    async fn stop_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Stop>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a stop
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field; `place` and `activity`
    /// merge. Also accepts the media type `application/merge-patch+json`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}", tags = ["Days"] }]
    async fn stop_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a stop
    ///
    /// Removes the stop and the legs that start or end there, and computes the leg between its neighbours. Expenses,
    /// packing items and documents that belonged to the stop are kept, and their `belongsTo` is cleared.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}", tags = ["Days"] }]
    async fn stop_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Move a stop
    ///
    /// Moves the stop within its day or to another day. In both days, legs between stops that are no longer adjacent
    /// are removed and missing ones computed. Expenses, packing items and documents keep their `belongsTo`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/move", tags = ["Days"] }]
    async fn stop_move(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopMove>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// List activities for a stop
    ///
    /// Lists up to 20 activities for the stop, from the configured provider or, without one, sights within 3 km. Each
    /// entry can be posted to the day's stops unchanged. Rejects with `upstreamFailed` if the provider fails.
    ///
    /// Returns the suggestions. They are not stored.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/activities", tags = ["Days"] }]
    async fn stop_activity_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<StopPath>,
    ) -> ApiResponse<Reply<ItemList<StopSuggestion>>>;

    /// Move a day
    ///
    /// Moves the day, with its stops and legs, to another position. The dates of the days between change with it: the first
    /// day stays on `startDate`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/move", tags = ["Days"] }]
    async fn day_move(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: JsonBody<DayMove>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Optimise a day
    ///
    /// Reorders the stops of a day to minimise travel time, computes the legs between them and suggests start times.
    /// Computes missing legs of the other days too. Stops with a start time that is not suggested keep it; stops without
    /// a coordinate keep their position. `endAt` is best-effort and takes precedence over travel time. If no order meets
    /// every fixed time, the order and the start times stay unchanged. With `dryRun`, nothing is stored. If no route
    /// provider is available, travel times are estimates.
    ///
    /// Returns the itinerary with the optimised day, and the minutes of travel before and after.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/days/{dayId}/optimise", tags = ["Days"] }]
    async fn day_optimise(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: OptionalJsonBody<OptimiseRequest>,
    ) -> ApiResponse<Reply<Optimisation>>;

    // ---- flights ----

    /// List flights
    ///
    /// Lists the flights in order. Only the owner and members can list them. The `ETag` is the itinerary's; send it
    /// back in `If-Match` with the next write.
    ///
    /// Returns all flights of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/flights", tags = ["Flights"] }]
    async fn flight_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Flight>>>;

    /// Add a flight
    ///
    /// Appends a flight to the list. At least one field besides `id` is required. A flight without an `id` gets one.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/flights", tags = ["Flights"] }]
    async fn flight_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Flight>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a flight
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges. Also
    /// accepts the media type `application/merge-patch+json`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/flights/{flightId}", tags = ["Flights"] }]
    async fn flight_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
        body: JsonBody<FlightPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a flight
    ///
    /// Removes the flight. Expenses, packing items and documents that belonged to it are kept, and their `belongsTo` is
    /// cleared.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/flights/{flightId}", tags = ["Flights"] }]
    async fn flight_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- hotels ----

    /// List hotels
    ///
    /// Lists the hotels in order. Only the owner and members can list them. The `ETag` is the itinerary's; send it back
    /// in `If-Match` with the next write.
    ///
    /// Returns all hotels of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/hotels", tags = ["Hotels"] }]
    async fn hotel_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Hotel>>>;

    /// Add a hotel
    ///
    /// Appends a hotel to the list. Only `name` is required. A hotel without an `id` gets one. A hotel without a
    /// coordinate is placed on the map by its name; `needsAttention` lists it if no place is found.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/hotels", tags = ["Hotels"] }]
    async fn hotel_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Hotel>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a hotel
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges. Also
    /// accepts the media type `application/merge-patch+json`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/hotels/{hotelId}", tags = ["Hotels"] }]
    async fn hotel_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
        body: JsonBody<HotelPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a hotel
    ///
    /// Removes the hotel. Expenses, packing items and documents that belonged to it are kept, and their `belongsTo` is
    /// cleared.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/hotels/{hotelId}", tags = ["Hotels"] }]
    async fn hotel_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- transports ----

    /// List transports
    ///
    /// Lists the transports in order. Only the owner and members can list them. The `ETag` is the itinerary's; send it back
    /// in `If-Match` with the next write.
    ///
    /// Returns all transports of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/transports", tags = ["Transports"] }]
    async fn transport_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Transport>>>;

    /// Add a transport
    ///
    /// Appends a train, bus, ferry, taxi, transfer or hired car to the list. At least one field besides `id` is required. A
    /// transport without an `id` gets one. Places without a coordinate are placed on the map by their names;
    /// `needsAttention` lists them if none is found.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/transports", tags = ["Transports"] }]
    async fn transport_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Transport>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a transport
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges. Also
    /// accepts the media type `application/merge-patch+json`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/transports/{transportId}", tags = ["Transports"] }]
    async fn transport_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<TransportPath>,
        conditions: Conditions,
        body: JsonBody<TransportPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a transport
    ///
    /// Removes the transport. Expenses, packing items and documents that belonged to it are kept, and their `belongsTo` is
    /// cleared.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/transports/{transportId}", tags = ["Transports"] }]
    async fn transport_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<TransportPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- reservations ----

    /// List reservations
    ///
    /// Lists the reservations in order. Only the owner and members can list them. The `ETag` is the itinerary's; send it back
    /// in `If-Match` with the next write.
    ///
    /// Returns all reservations of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/reservations", tags = ["Reservations"] }]
    async fn reservation_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Reservation>>>;

    /// Add a reservation
    ///
    /// Appends a reservation to the list. Only `name` is required. A reservation without an `id` gets one. A reservation without a
    /// coordinate is placed on the map by its name; `needsAttention` lists it if no place is found.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/reservations", tags = ["Reservations"] }]
    async fn reservation_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Reservation>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a reservation
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges. Also
    /// accepts the media type `application/merge-patch+json`.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/reservations/{reservationId}", tags = ["Reservations"] }]
    async fn reservation_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ReservationPath>,
        conditions: Conditions,
        body: JsonBody<ReservationPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a reservation
    ///
    /// Removes the reservation. Expenses, packing items and documents that belonged to it are kept, and their `belongsTo` is
    /// cleared.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/reservations/{reservationId}", tags = ["Reservations"] }]
    async fn reservation_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ReservationPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- expenses ----

    /// List expenses
    ///
    /// Lists the expenses in order. Only the owner and members can list them, and only with the Pro subscription. The
    /// `ETag` is the itinerary's; send it back in `If-Match` with the next write.
    ///
    /// Returns all expenses of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/expenses", tags = ["Expenses"] }]
    async fn expense_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Expense>>>;

    /// Add an expense
    ///
    /// Appends an expense to the list. `name` and `cost.amount` are required; `cost.currency` defaults to the
    /// itinerary's currency. An expense without an `id` gets one. Needs the Pro subscription.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/expenses", tags = ["Expenses"] }]
    async fn expense_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Expense>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update an expense
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges. Also
    /// accepts the media type `application/merge-patch+json`. Needs the Pro subscription.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/expenses/{expenseId}", tags = ["Expenses"] }]
    async fn expense_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
        body: JsonBody<ExpensePatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove an expense
    ///
    /// Removes the expense from the list. Needs the Pro subscription.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/expenses/{expenseId}", tags = ["Expenses"] }]
    async fn expense_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- packing ----

    /// List packing items
    ///
    /// Lists the packing items in order. Only the owner and members can list them, and only with the Pro subscription.
    /// The `ETag` is the itinerary's; send it back in `If-Match` with the next write.
    ///
    /// Returns all packing items of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/packing", tags = ["Packing"] }]
    async fn packing_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<PackingItem>>>;

    /// Add a packing item
    ///
    /// Appends a packing item to the list. Only `name` is required; `quantity` defaults to 1 and `isPacked` to false.
    /// An item without an `id` gets one. Needs the Pro subscription.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/packing", tags = ["Packing"] }]
    async fn packing_add(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<PackingItem>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Update a packing item
    ///
    /// Applies a JSON merge patch (RFC 7396): an absent field is kept, `null` clears a field, an object merges. Also
    /// accepts the media type `application/merge-patch+json`. Needs the Pro subscription.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/packing/{packingId}", tags = ["Packing"] }]
    async fn packing_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
        body: JsonBody<PackingItemPatch>,
    ) -> ApiResponse<Reply<Itinerary>>;

    /// Remove a packing item
    ///
    /// Removes the packing item from the list. Needs the Pro subscription.
    ///
    /// Returns the updated itinerary, with its version in `ETag`.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/packing/{packingId}", tags = ["Packing"] }]
    async fn packing_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>>;

    // ---- documents ----

    /// List documents
    ///
    /// Lists the documents in order, without their contents. Only the owner and members can list them; the Pro
    /// subscription is not needed. The `ETag` is the itinerary's; send it back in `If-Match` with the next write.
    ///
    /// Returns all documents of the itinerary.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/documents", tags = ["Documents"] }]
    async fn document_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<ListedDocument>>>;

    /// Upload a document
    ///
    /// Stores a file of at most 20 MB (20,971,520 bytes) that was sealed (encrypted) on the traveller's device. The
    /// server cannot decrypt it and stores it unchanged. Accepts age v1 (binary or armored), CMS `EnvelopedData` and
    /// `AuthEnvelopedData` (DER or PEM) and JWE (compact or JSON). Rejects anything else with `documentNotSealed`. Only
    /// the owner and editors can upload, and only with the Pro subscription. Files count towards the storage quota of
    /// the itinerary's owner (default 1 GiB); an upload that would exceed it is rejected with `conflict`. Creates a new
    /// version of the itinerary; `If-Match` is not needed. After its first 30 seconds an upload must arrive at 16 KiB a
    /// second or more, otherwise it is rejected with `requestTimeout`.
    ///
    /// Returns the stored document with a link to its file; `ETag` has the itinerary's new version.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/documents", tags = ["Documents"], request_body_max_bytes = 21_037_056 }]
    async fn document_upload(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: UploadBody,
    ) -> ApiResponse<Reply<UploadedDocument, 201>>;

    /// Update a document
    ///
    /// Applies a JSON merge patch (RFC 7396) to `name`, `category` and `belongsTo`. `file` and `mimeType` are
    /// read-only: accepted, so that a document can be sent back as it was read, and ignored. Also accepts the media
    /// type `application/merge-patch+json`.
    ///
    /// Returns the updated document; `ETag` has the itinerary's new version.
    #[endpoint { method = PATCH, path = "/v1/itineraries/{id}/documents/{documentId}", tags = ["Documents"] }]
    async fn document_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
        body: JsonBody<DocumentPatch>,
    ) -> ApiResponse<Reply<ListedDocument>>;

    /// Delete a document
    ///
    /// Permanently deletes the document and its file. Links to it stop working.
    ///
    /// Returns no content: the document is deleted; `ETag` has the itinerary's new version.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/documents/{documentId}", tags = ["Documents"] }]
    async fn document_delete(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
    ) -> ApiResponse<Empty>;

    /// Create a link to a document
    ///
    /// The link is valid for 10 minutes and needs no token. It stops working earlier if the document is deleted, or if
    /// the traveller is no longer a member or disconnects the app; it then responds with 404 `notFound`. The file is
    /// sent as an attachment, as it was uploaded, with an `ETag`. `Range` and `If-Range` are supported; a range beyond
    /// the end responds with 416 `rangeNotSatisfiable`.
    ///
    /// Returns the link and when it expires.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/documents/{documentId}/link", tags = ["Documents"] }]
    async fn document_link(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DocumentPath>,
    ) -> ApiResponse<Reply<DocumentLink>>;

    // ---- wallet passes ----

    /// List wallet passes
    ///
    /// Every hotel and reservation has passes, every flight with two airport codes and a departure date, and every
    /// transport with the name, address or code of a place. Only the owner and members can list them. The `ETag` is the
    /// itinerary's; send it back in `If-Match` with the next write. `If-None-Match` is ignored.
    ///
    /// Returns the flights, hotels, transports and reservations that have passes.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/wallet-passes", tags = ["Wallet passes"] }]
    async fn wallet_pass_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<ItemList<WalletPass>>>;

    /// Get a wallet pass
    ///
    /// For `apple`, a signed `.pkpass` file; for `google`, JSON with a link that saves the pass to Google Wallet.
    /// There is one pass for each ticket of the booking, with the ticket's holder, seat and barcode; without a ticket the
    /// pass is for the caller and has no barcode. A pass that is already in Google Wallet is not updated. Rejects with
    /// `conflict` if a flight lacks an airport code or its departure date or if a transport has no place, and with
    /// `featureUnavailable` and `Retry-After: 3600` if the server has no certificate for that wallet.
    ///
    /// Returns the pass: a file for Apple Wallet, or JSON with a link for Google Wallet.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/wallet-passes/{kind}/{itemId}", tags = ["Wallet passes"] }]
    async fn wallet_pass_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WalletPassPath>,
        query: QueryParams<WalletPassQuery>,
    ) -> ApiResponse<Pass>;

    // ---- sharing ----

    /// List members
    ///
    /// Lists the travellers that the itinerary is shared with, and those with a pending invitation, in the order in which
    /// they became members or were invited. Only the owner can list them.
    ///
    /// Returns all members of the itinerary and its pending invitations, without its owner.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/members", tags = ["Sharing"] }]
    async fn member_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<ItemList<Member>>>;

    /// Add or update a member
    ///
    /// A traveller who follows the caller becomes a member (`status` is `accepted`). Any other traveller is invited
    /// (`pending`) and becomes a member by accepting. Also changes the role of a member or of a pending invitation. Only
    /// the owner can. Does not change the itinerary's version. Rejects with `conflict` if the traveller has left the
    /// itinerary or declined an invitation to it, if the caller has blocked the traveller, if the itinerary has reached
    /// its quota of members and invitations (default 100), or if the caller has sent as many invitations in 30 days that
    /// were not accepted as the quota allows (default 20).
    ///
    /// Returns the member or the invited traveller, with the role that was set.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/members/{accountId}", tags = ["Sharing"] }]
    async fn member_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<MemberPath>,
        body: JsonBody<MemberChange>,
    ) -> ApiResponse<Reply<Member>>;

    /// Remove a member
    ///
    /// The owner can remove any member and withdraw any pending invitation; a member can remove themselves. A member who
    /// leaves cannot be added again. Does not change the itinerary's version.
    ///
    /// Returns no content: the traveller is not a member of the itinerary, nor invited.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/members/{accountId}", tags = ["Sharing"] }]
    async fn member_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<MemberPath>,
    ) -> ApiResponse<Empty>;

    /// List secret links
    ///
    /// Lists the secret links of an itinerary, oldest first, ended ones included. Only its owner may list them.
    ///
    /// Returns all links, without their addresses.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/links", tags = ["Sharing"] }]
    async fn link_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<ItemList<Link>>>;

    /// Create a secret link
    ///
    /// Creates an address at which anyone who has it sees the itinerary's page without an account, whatever the
    /// itinerary's visibility is. The page shows what `sections` says, never the origin, expenses, packing items and
    /// documents, and search engines are asked not to index it. The link ends at `expiresAt`, when it is deleted, and with
    /// the itinerary or its owner's account. Only the owner may create one. Does not change the itinerary's version.
    ///
    /// Rejects with `conflict` if the itinerary has 20 links, ended ones included, or one with this label; then
    /// `details.field` is `label`.
    ///
    /// Returns the created link with its address in `url`, which no other response contains: a retry with the same
    /// `Idempotency-Key` returns the link without it.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/links", tags = ["Sharing"] }]
    async fn link_create(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: JsonBody<LinkCreate>,
    ) -> ApiResponse<Reply<Link, 201>>;

    /// Delete a secret link
    ///
    /// The address stops working at once. Only the owner may delete a link. Does not change the itinerary's version.
    ///
    /// Returns no content: the link does not exist any more.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/links/{linkId}", tags = ["Sharing"] }]
    async fn link_delete(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<LinkPath>,
    ) -> ApiResponse<Empty>;

    /// List changes
    ///
    /// Lists what has changed after a cursor in the itineraries that the caller owns or is a member of, oldest first. To
    /// keep a copy: request a cursor (without `cursor`), list the itineraries, then continue from the cursor from time to
    /// time, and read each itinerary again whose `etag` differs from that of the copy. A change that was committed before
    /// the response is never missing afterwards; it may be repeated. Changes of marks, plans, profiles and other members
    /// are not listed. Changes are kept for 30 days; rejects with `cursorExpired` if the cursor is older, or from before
    /// the service was restored.
    ///
    /// With `Accept: text/event-stream`, the response is a stream of events (server-sent events) that stays open: the
    /// `id` of an event is its cursor, `event` its type, `data` the change as JSON. `Last-Event-ID` continues after an
    /// event, and takes precedence over `cursor`. A comment follows every 20 seconds. The stream ends with the access
    /// token. An app can have 5 streams open for a traveller.
    ///
    /// Returns one page of changes, and the cursor with which to continue.
    #[endpoint { method = GET, path = "/v1/changes", tags = ["Changes"] }]
    async fn change_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<ChangeQuery>,
    ) -> ApiResponse<Changes>;

    // ---- webhooks ----

    /// List webhooks
    ///
    /// Lists the webhooks that the app has created for the caller, newest first.
    ///
    /// Returns all webhooks of the app and the caller, without their secrets.
    #[endpoint { method = GET, path = "/v1/webhooks", tags = ["Webhooks"] }]
    async fn webhook_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
    ) -> ApiResponse<Reply<ItemList<Webhook>>>;

    /// Create a webhook
    ///
    /// From now on the server posts events of the caller's itineraries to the address, signed as in Standard Webhooks.
    /// The events are those of the change feed. A receiver responds with 2xx within 15 seconds; otherwise further
    /// attempts follow after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, or after `Retry-After` if that is
    /// later (up to 24 hours). Redirects are failures, 410 disables the webhook, and so do five days of failures. An event
    /// can arrive more than once, with the same `webhook-id`, and events can arrive in another order. Of several
    /// `itinerary.updated` events of one itinerary that are not delivered yet, the last one is sent.
    ///
    /// The address must be `https` at port 443 of a public host, unless the server's settings allow more. A webhook works
    /// while the app has a grant of the traveller with `itineraries:read`; without one it pauses, and after 7 days it is
    /// deleted. Rejects with `conflict` if the app has 10 webhooks for the caller, or the caller 50 in
    /// all apps.
    ///
    /// Returns the created webhook with its `secret`, which no other response contains.
    #[endpoint { method = POST, path = "/v1/webhooks", tags = ["Webhooks"] }]
    async fn webhook_create(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        body: JsonBody<WebhookCreate>,
    ) -> ApiResponse<Reply<Webhook, 201>>;

    /// Read a webhook
    ///
    /// Reads a webhook that the app has created for the caller.
    ///
    /// Returns the webhook, without its secret.
    #[endpoint { method = GET, path = "/v1/webhooks/{webhookId}", tags = ["Webhooks"] }]
    async fn webhook_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WebhookPath>,
    ) -> ApiResponse<Reply<Webhook>>;

    /// Update a webhook
    ///
    /// Changes its address, types or description, or enables or disables it. Disabling gives up what is not delivered
    /// yet; an enabled webhook gets the events from then on.
    ///
    /// Returns the updated webhook, without its secret.
    #[endpoint { method = PATCH, path = "/v1/webhooks/{webhookId}", tags = ["Webhooks"] }]
    async fn webhook_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WebhookPath>,
        body: JsonBody<WebhookPatch>,
    ) -> ApiResponse<Reply<Webhook>>;

    /// Delete a webhook
    ///
    /// Deletes the webhook with its deliveries. An attempt in progress may still arrive.
    ///
    /// Returns no content: the webhook does not exist.
    #[endpoint { method = DELETE, path = "/v1/webhooks/{webhookId}", tags = ["Webhooks"] }]
    async fn webhook_delete(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WebhookPath>,
    ) -> ApiResponse<Empty>;

    /// Rotate a webhook's secret
    ///
    /// Gives the webhook a new secret. For 24 hours, deliveries have signatures with both secrets, so that a receiver can
    /// change to the new one without a gap. The secret before the former one is not used any more.
    ///
    /// Returns the webhook with its new `secret`, which no other response contains.
    #[endpoint { method = POST, path = "/v1/webhooks/{webhookId}/secret/rotate", tags = ["Webhooks"] }]
    async fn webhook_rotate_secret(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WebhookPath>,
    ) -> ApiResponse<Reply<Webhook>>;

    /// Test a webhook
    ///
    /// Sends a `webhook.test` event, whatever the webhook's types. The list of deliveries shows its result. Rejects with
    /// `conflict` if the webhook is disabled.
    ///
    /// Returns the delivery, which is attempted within a second or two.
    #[endpoint { method = POST, path = "/v1/webhooks/{webhookId}/test", tags = ["Webhooks"] }]
    async fn webhook_test(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WebhookPath>,
    ) -> ApiResponse<Reply<WebhookDelivery, 202>>;

    /// List a webhook's deliveries
    ///
    /// Lists the deliveries of the last 30 days, at most the last 10,000 that are done, newest first. While 10,000 are
    /// waiting, further events fail at once.
    ///
    /// Returns one page of deliveries, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/webhooks/{webhookId}/deliveries", tags = ["Webhooks"] }]
    async fn webhook_delivery_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<WebhookPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<WebhookDelivery>>>;

    /// Redeliver an event
    ///
    /// Makes the next attempt of a delivery now, with the same `webhook-id`, whether it has succeeded or failed. During an
    /// attempt nothing changes. Rejects with `conflict` if the webhook is disabled.
    ///
    /// Returns the delivery, which is attempted within a second or two.
    #[endpoint { method = POST, path = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", tags = ["Webhooks"] }]
    async fn webhook_redeliver(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<DeliveryPath>,
    ) -> ApiResponse<Reply<WebhookDelivery, 202>>;

    // ---- invitations ----

    /// List invitations
    ///
    /// Lists the caller's pending invitations, newest first. The itinerary of a pending invitation can be read like an
    /// unlisted one, and is in no list of the caller until the invitation is accepted.
    ///
    /// Returns one page of invitations, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/invitations", tags = ["Sharing"] }]
    async fn invitation_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Invitation>>>;

    /// Accept an invitation
    ///
    /// Makes the caller a member of the itinerary. Idempotent: succeeds if the caller is a member. Rejects with
    /// `notFound` if the caller is not invited.
    ///
    /// Returns the caller as a member.
    #[endpoint { method = PUT, path = "/v1/invitations/{id}", tags = ["Sharing"] }]
    async fn invitation_accept(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<Member>>;

    /// Decline an invitation
    ///
    /// The owner cannot invite the caller to this itinerary again. Rejects with `notFound` if the caller is not invited.
    ///
    /// Returns no content: the caller is not invited any more.
    #[endpoint { method = DELETE, path = "/v1/invitations/{id}", tags = ["Sharing"] }]
    async fn invitation_decline(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Empty>;

    // ---- marks ----

    /// Read marks
    ///
    /// Reads whether the caller likes, dislikes or has saved the itinerary, and how many travellers like or have saved
    /// it.
    ///
    /// Returns the caller's marks and the counts.
    #[endpoint { method = GET, path = "/v1/itineraries/{id}/marks", tags = ["Marks"] }]
    async fn marks_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<Marks>>;

    /// Like an itinerary
    ///
    /// Adds the caller's like and removes their dislike. Idempotent. Does not change the itinerary's version.
    ///
    /// Returns the caller's marks and the counts after the like.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/like", tags = ["Marks"] }]
    async fn like_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<Marks>>;

    /// Remove a like
    ///
    /// Removes the caller's like. Idempotent. Does not change the itinerary's version.
    ///
    /// Returns the caller's marks and the counts without the like.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/like", tags = ["Marks"] }]
    async fn like_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<Marks>>;

    /// Dislike an itinerary
    ///
    /// Adds the caller's dislike and removes their like. The Explore feed then leaves the itinerary out for the caller.
    /// Dislikes are not visible to anyone else. Idempotent. Does not change the itinerary's version.
    ///
    /// Returns the caller's marks and the counts after the dislike.
    #[endpoint { method = PUT, path = "/v1/itineraries/{id}/dislike", tags = ["Marks"] }]
    async fn dislike_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<Marks>>;

    /// Remove a dislike
    ///
    /// Removes the caller's dislike. Idempotent. Does not change the itinerary's version.
    ///
    /// Returns the caller's marks and the counts without the dislike.
    #[endpoint { method = DELETE, path = "/v1/itineraries/{id}/dislike", tags = ["Marks"] }]
    async fn dislike_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<Marks>>;

    /// Save a copy
    ///
    /// Copies the itinerary's days, stops, places, tags, cover image and currency into a new private itinerary of the
    /// caller, with `savedFrom` set. If the caller has already saved it, responds with 200 and the existing copy.
    /// Rejects with `conflict` if the caller owns as many itineraries as the server's quota allows (default 2,000).
    ///
    /// Returns the created copy, with its version in `ETag` and its path in `Location`.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/saves", tags = ["Marks"] }]
    async fn itinerary_save(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
    ) -> ApiResponse<Reply<Itinerary, 201>>;

    /// Report an itinerary
    ///
    /// Reports the itinerary to the operators of the service. Rejects with `conflict` if an earlier report of the
    /// caller on this itinerary is still open.
    ///
    /// Returns the id of the report.
    #[endpoint { method = POST, path = "/v1/itineraries/{id}/reports", tags = ["Marks"] }]
    async fn report_create(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: JsonBody<ReportCreate>,
    ) -> ApiResponse<Reply<Report, 201>>;

    // ---- explore ----

    /// Explore public itineraries
    ///
    /// Without `q`, a ranked feed: each first request draws a new order, which its `nextCursor` keeps. With `q`,
    /// itineraries that contain all the words. With `following`, itineraries of people the caller follows, most
    /// recently published first; a page may then have fewer entries than `limit`, even none, and still have a
    /// `nextCursor`. Needs a token and no scope.
    ///
    /// Returns one page of itineraries, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/explore", tags = ["Explore"] }]
    async fn explore_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<ExploreQuery>,
    ) -> ApiResponse<Reply<Page<ListedItinerary>>>;

    // ---- account ----

    /// Read the caller's account
    ///
    /// Reads the account of the traveller that the token acts for, and the scopes of the token.
    ///
    /// Returns the caller's account, with the scopes of the token.
    #[endpoint { method = GET, path = "/v1/account", tags = ["Account"] }]
    async fn account_self(rqctx: RequestContext<Self::Context>, caller: Caller) -> ApiResponse<Reply<Account>>;

    /// Update the caller's account
    ///
    /// Applies a JSON merge patch (RFC 7396) to `displayName`, `imageUrl` and `homePlace`. Read-only fields are
    /// accepted and ignored. Also accepts the media type `application/merge-patch+json`. Concurrent changes are
    /// retried, so that none is lost; rejects with `conflict` if that keeps failing.
    ///
    /// Returns the caller's account after the update.
    #[endpoint { method = PATCH, path = "/v1/account", tags = ["Account"] }]
    async fn account_self_update(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        body: JsonBody<AccountPatch>,
    ) -> ApiResponse<Reply<Account>>;

    // ---- people ----

    /// Find a traveller
    ///
    /// Finds a traveller by their complete username, case-insensitive. Rejects with `notFound` if no account has it, or
    /// if the traveller has blocked the caller.
    ///
    /// Returns the traveller's profile, as the caller sees it.
    #[endpoint { method = GET, path = "/v1/accounts", tags = ["People"] }]
    async fn account_find(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<AccountQuery>,
    ) -> ApiResponse<Reply<Profile>>;

    /// Read a traveller's profile
    ///
    /// Reads the public profile of an account, which every signed-in traveller can see whom the account has not blocked.
    ///
    /// Returns the traveller's profile, as the caller sees it.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}", tags = ["People"] }]
    async fn account_view(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> ApiResponse<Reply<Profile>>;

    /// List a traveller's itineraries
    ///
    /// Lists the traveller's own itineraries that the caller may find: public ones, those for followers if the caller
    /// follows the traveller, and those shared with the caller. Most recently changed first. Rejects with `forbidden`
    /// if `filter` is not `owned`.
    ///
    /// Returns one page of itineraries, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}/itineraries", tags = ["People"] }]
    async fn account_itinerary_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<AccountListQuery>,
    ) -> ApiResponse<Reply<Page<ListedItinerary>>>;

    /// Follow a traveller
    ///
    /// Idempotent. Rejects with `forbidden` if the traveller has removed the caller as a follower, and with `conflict`
    /// if the caller follows as many people as the quota allows (default 5,000) or has blocked the traveller.
    ///
    /// Returns no content: the caller follows the traveller.
    #[endpoint { method = PUT, path = "/v1/accounts/{accountId}/follow", tags = ["People"] }]
    async fn follow_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> ApiResponse<Empty>;

    /// Unfollow a traveller
    ///
    /// Idempotent: succeeds if the caller does not follow the traveller.
    ///
    /// Returns no content: the caller does not follow the traveller.
    #[endpoint { method = DELETE, path = "/v1/accounts/{accountId}/follow", tags = ["People"] }]
    async fn follow_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> ApiResponse<Empty>;

    /// List a traveller's followers
    ///
    /// Lists the profiles of the people who follow the traveller, most recent follower first.
    ///
    /// Returns one page of profiles, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}/followers", tags = ["People"] }]
    async fn follower_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Profile>>>;

    /// List whom a traveller follows
    ///
    /// Lists the profiles of the people whom the traveller follows, most recently followed first.
    ///
    /// Returns one page of profiles, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/accounts/{accountId}/following", tags = ["People"] }]
    async fn following_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Profile>>>;

    /// Remove a follower
    ///
    /// Removes a traveller from the caller's followers. They cannot follow the caller again.
    ///
    /// Returns no content: the traveller does not follow the caller.
    #[endpoint { method = DELETE, path = "/v1/account/followers/{accountId}", tags = ["People"] }]
    async fn follower_remove(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> ApiResponse<Empty>;

    /// List blocked travellers
    ///
    /// Lists the profiles of the travellers that the caller has blocked, most recently blocked first.
    ///
    /// Returns one page of profiles, and the cursor of the next page.
    #[endpoint { method = GET, path = "/v1/account/blocks", tags = ["People"] }]
    async fn block_list(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Profile>>>;

    /// Block a traveller
    ///
    /// Idempotent. Ends memberships, invitations and follows between the caller and the traveller, in both directions. The
    /// traveller cannot invite or follow the caller, and does not find the caller's profile and lists; public itineraries
    /// stay readable. The traveller is not told. Rejects with `conflict` if the caller has blocked as many travellers as
    /// the quota allows (default 1,000).
    ///
    /// Returns no content: the traveller is blocked.
    #[endpoint { method = PUT, path = "/v1/accounts/{accountId}/block", tags = ["People"] }]
    async fn block_set(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> ApiResponse<Empty>;

    /// Unblock a traveller
    ///
    /// Idempotent: succeeds if the traveller is not blocked. What the block has ended stays ended.
    ///
    /// Returns no content: the traveller is not blocked.
    #[endpoint { method = DELETE, path = "/v1/accounts/{accountId}/block", tags = ["People"] }]
    async fn block_clear(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        path: PathParams<AccountPath>,
    ) -> ApiResponse<Empty>;

    // ---- sign-in ----

    /// Register a client
    ///
    /// Registers an app as an OAuth client (RFC 7591); do so once for each app. By default the client is confidential
    /// and gets a secret; with `token_endpoint_auth_method` `none` it is public. Limited to 10 registrations an hour
    /// for each address.
    ///
    /// Returns the registered client; the secret of a confidential client is in no other response.
    #[endpoint { method = POST, path = "/oauth/register", tags = ["Sign-in"] }]
    async fn oauth_register(
        rqctx: RequestContext<Self::Context>,
        address: ClientAddress,
        body: JsonBytes<RegistrationRequest>,
    ) -> OAuthResponse<Reply<Registration, 201>>;

    /// Request authorisation
    ///
    /// For the traveller's browser, not for programs. Shows pages on which the traveller signs in and approves the
    /// scopes, then redirects to `redirect_uri` with `code`, `state` and `iss`, or with `error=access_denied`. The code
    /// is valid once, for 5 minutes. Errors in the parameters are never sent to `redirect_uri`.
    ///
    /// Returns the page on which the traveller approves or denies.
    #[endpoint { method = GET, path = "/oauth/authorise", tags = ["Sign-in"] }]
    async fn oauth_authorise(
        rqctx: RequestContext<Self::Context>,
        query: Described<AuthoriseQuery>,
        request: WebRequest,
    ) -> OAuthResponse<Response<Body>>;

    /// Receive the answer of the consent page, and redirect to the app.
    #[endpoint { method = POST, path = "/oauth/authorise/decision", unpublished = true }]
    async fn oauth_decision(rqctx: RequestContext<Self::Context>, request: WebRequest)
    -> OAuthResponse<Response<Body>>;

    /// Get tokens
    ///
    /// Exchanges an authorisation code (`grant_type=authorization_code`, with the PKCE verifier) or a refresh token
    /// (`grant_type=refresh_token`) for a new pair of tokens. Codes and refresh tokens work once. Using a refresh token
    /// twice revokes all tokens of its sign-in.
    ///
    /// Returns a new access token and a new refresh token.
    #[endpoint {
        method = POST,
        path = "/oauth/token",
        content_type = "application/x-www-form-urlencoded",
        tags = ["Sign-in"],
    }]
    async fn oauth_token(
        rqctx: RequestContext<Self::Context>,
        form: FormBody<TokenRequest>,
    ) -> OAuthResponse<Reply<TokenResponse>>;

    /// Revoke a token
    ///
    /// Takes an access or a refresh token (RFC 7009) and ends its sign-in: all of its tokens stop working at once.
    /// Idempotent: succeeds if the token is unknown.
    ///
    /// Returns an empty object: the token is not valid any more.
    #[endpoint {
        method = POST,
        path = "/oauth/revoke",
        content_type = "application/x-www-form-urlencoded",
        tags = ["Sign-in"],
    }]
    async fn oauth_revoke(
        rqctx: RequestContext<Self::Context>,
        form: FormBody<RevocationRequest>,
    ) -> OAuthResponse<Reply<serde_json::Map<String, serde_json::Value>>>;

    // ---- discovery ----

    /// Read the authorisation server metadata
    ///
    /// Describes the OAuth endpoints and what they support (RFC 8414).
    ///
    /// Returns the metadata of the authorisation server.
    #[endpoint { method = GET, path = "/.well-known/oauth-authorization-server", tags = ["Discovery"] }]
    async fn discovery_authorisation_server(
        rqctx: RequestContext<Self::Context>,
    ) -> ApiResponse<Reply<AuthorisationServerMetadata>>;

    /// Read the API's resource metadata
    ///
    /// Names the authorisation server that issues tokens for the API (RFC 9728).
    ///
    /// Returns the metadata of the API as a protected resource.
    #[endpoint { method = GET, path = "/.well-known/oauth-protected-resource", tags = ["Discovery"] }]
    async fn discovery_protected_resource(
        rqctx: RequestContext<Self::Context>,
    ) -> ApiResponse<Reply<ProtectedResourceMetadata>>;

    /// Read the MCP endpoint's resource metadata
    ///
    /// Names the authorisation server that issues tokens for the MCP endpoint (RFC 9728).
    ///
    /// Returns the metadata of the MCP endpoint as a protected resource.
    #[endpoint { method = GET, path = "/.well-known/oauth-protected-resource/mcp", tags = ["Discovery"] }]
    async fn discovery_protected_resource_mcp(
        rqctx: RequestContext<Self::Context>,
    ) -> ApiResponse<Reply<ProtectedResourceMetadata>>;

    /// Read the OpenAPI document
    ///
    /// The document that you are reading, with this server's address in `servers`.
    ///
    /// Returns the OpenAPI document of the service.
    #[endpoint { method = GET, path = "/openapi.json", tags = ["Discovery"] }]
    async fn openapi_document(
        rqctx: RequestContext<Self::Context>,
    ) -> ApiResponse<Reply<serde_json::Map<String, serde_json::Value>>>;

    // ---- operations ----

    /// Check liveness
    ///
    /// Responds as long as the process runs. Does not check the database.
    ///
    /// Returns the status `ok`: the server is running.
    #[endpoint { method = GET, path = "/healthz", tags = ["Operations"] }]
    async fn health_live(rqctx: RequestContext<Self::Context>) -> ApiResponse<Reply<Health>>;

    /// Check readiness
    ///
    /// Queries the database. Rejects with `upstreamFailed` if it does not respond.
    ///
    /// Returns the status `ok`: the server can handle requests.
    #[endpoint { method = GET, path = "/readyz", tags = ["Operations"] }]
    async fn health_ready(rqctx: RequestContext<Self::Context>) -> ApiResponse<Reply<Health>>;

    // ---- files ----

    /// Download a document's file through a signed link.
    #[endpoint { method = GET, path = "/documents/{signed}", unpublished = true }]
    async fn document_file_view(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<SignedPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Read the calendar at a secret address.
    #[endpoint { method = GET, path = "/calendar/{file}", unpublished = true }]
    async fn calendar_view(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<CalendarPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Read an image. Its address never changes, so that it can be cached for long.
    #[endpoint { method = GET, path = "/images/{id}", unpublished = true }]
    async fn image_view(
        rqctx: RequestContext<Self::Context>,
        address: ClientAddress,
        path: PathParams<ImagePath>,
    ) -> ApiResponse<Response<Body>>;

    /// Read an image, scaled down to at most 640 pixels a side.
    #[endpoint { method = GET, path = "/images/{id}/small", unpublished = true }]
    async fn image_small_view(
        rqctx: RequestContext<Self::Context>,
        address: ClientAddress,
        path: PathParams<ImagePath>,
    ) -> ApiResponse<Response<Body>>;

    // ---- assistants ----

    /// Call the MCP endpoint
    ///
    /// The Model Context Protocol for AI assistants, as JSON-RPC 2.0 over HTTP, one message per request. Supports
    /// protocol version 2026-07-28, and 2024-11-05 to 2025-11-25 with or without the `initialize` handshake; there are
    /// no sessions and no event streams. `tools/list` lists the tools. A tool call needs the scope of the operation
    /// that the tool carries out and counts against the same rate limit; any other message counts as a read. Protocol
    /// errors are JSON-RPC errors with `data: {code, requestId, details}`. A tool call that an operation rejects is a
    /// result with `isError`.
    ///
    /// Returns the JSON-RPC result or error.
    #[endpoint { method = POST, path = "/mcp", tags = ["MCP"] }]
    async fn mcp(
        rqctx: RequestContext<Self::Context>,
        caller: Caller,
        body: JsonBytes<RpcMessage>,
    ) -> ApiResponse<RpcReply>;

    // ---- pages for people ----

    /// Show the start page.
    #[endpoint { method = GET, path = "/", unpublished = true }]
    async fn page_home(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the style sheet of the pages.
    #[endpoint { method = GET, path = "/style.css", unpublished = true }]
    async fn page_style(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the script of the pages.
    #[endpoint { method = GET, path = "/page.js", unpublished = true }]
    async fn page_script(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the script that asks for passkeys.
    #[endpoint { method = GET, path = "/passkeys.js", unpublished = true }]
    async fn page_passkeys_script(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Serve the icon of the pages.
    #[endpoint { method = GET, path = "/icon.svg", unpublished = true }]
    async fn page_icon(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the logo of Google Wallet passes.
    #[endpoint { method = GET, path = "/logo.png", unpublished = true }]
    async fn page_logo(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Redirect to the icon of the pages.
    #[endpoint { method = GET, path = "/favicon.ico", unpublished = true }]
    async fn page_favicon(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the rules for crawlers.
    #[endpoint { method = GET, path = "/robots.txt", unpublished = true }]
    async fn page_robots(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Show the caller's own itineraries and those that are shared with them.
    #[endpoint { method = GET, path = "/trips", unpublished = true }]
    async fn page_trips(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Show an itinerary to its readers; a public or unlisted one to everyone.
    #[endpoint { method = GET, path = "/trips/{id}", unpublished = true }]
    async fn page_trip(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Like an itinerary, or take the like back.
    #[endpoint { method = POST, path = "/trips/{id}/like", unpublished = true }]
    async fn page_trip_like(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Save a copy of an itinerary.
    #[endpoint { method = POST, path = "/trips/{id}/save", unpublished = true }]
    async fn page_trip_save(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the versions that an itinerary has had, to its owner and editors.
    #[endpoint { method = GET, path = "/trips/{id}/history", unpublished = true }]
    async fn page_trip_history(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Restore a version of an itinerary.
    #[endpoint { method = POST, path = "/trips/{id}/history", unpublished = true }]
    async fn page_trip_restore(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Export what an itinerary's page shows as iCalendar.
    #[endpoint { method = GET, path = "/trips/{id}/trip.ics", unpublished = true }]
    async fn page_trip_ics(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Export what an itinerary's page shows as GPX.
    #[endpoint { method = GET, path = "/trips/{id}/trip.gpx", unpublished = true }]
    async fn page_trip_gpx(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show an itinerary to everyone who has a secret link.
    #[endpoint { method = GET, path = "/t/{secret}", unpublished = true }]
    async fn page_link(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<SecretPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Export what the page of a secret link shows as iCalendar.
    #[endpoint { method = GET, path = "/t/{secret}/trip.ics", unpublished = true }]
    async fn page_link_ics(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<SecretPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Export what the page of a secret link shows as GPX.
    #[endpoint { method = GET, path = "/t/{secret}/trip.gpx", unpublished = true }]
    async fn page_link_gpx(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<SecretPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Serve the style sheet of itineraries' pages.
    #[endpoint { method = GET, path = "/trip.css", unpublished = true }]
    async fn page_trip_style(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the picture of a public or unlisted itinerary that is shown with links to its page.
    #[endpoint { method = GET, path = "/trips/{id}/picture.jpg", unpublished = true }]
    async fn trip_picture_view(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the reference pages and their files.
    #[endpoint { method = GET, path = "/docs/{path:.*}", unpublished = true }]
    async fn page_docs(
        rqctx: RequestContext<Self::Context>,
        path: DescribedPath<DocsPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Serve links to the documentation for language models (llmstxt.org).
    #[endpoint { method = GET, path = "/llms.txt", unpublished = true }]
    async fn page_llms(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Serve the guides and a list of operations for language models.
    #[endpoint { method = GET, path = "/llms-full.txt", unpublished = true }]
    async fn page_llms_full(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Show the form for creating an account.
    #[endpoint { method = GET, path = "/sign-up", unpublished = true }]
    async fn page_sign_up(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Create an account from the submitted form.
    #[endpoint { method = POST, path = "/sign-up", unpublished = true }]
    async fn page_sign_up_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the form for signing in.
    #[endpoint { method = GET, path = "/sign-in", unpublished = true }]
    async fn page_sign_in(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Sign in with the submitted username and password, second step or passkey.
    #[endpoint { method = POST, path = "/sign-in", unpublished = true }]
    async fn page_sign_in_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Send the browser to an OpenID Connect provider.
    #[endpoint { method = POST, path = "/sign-in/{provider}", unpublished = true }]
    async fn page_provider_sign_in(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<ProviderPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Sign in the traveller whom the provider has sent back.
    #[endpoint { method = GET, path = "/sign-in/{provider}/callback", unpublished = true }]
    async fn page_provider_callback(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<ProviderPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Create an account for an identity at a provider.
    #[endpoint { method = POST, path = "/sign-in/{provider}/account", unpublished = true }]
    async fn page_provider_account(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<ProviderPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List how the traveller can sign in.
    #[endpoint { method = GET, path = "/account/sign-in-methods", unpublished = true }]
    async fn page_sign_in_methods(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Link an identity at a provider, or unlink one.
    #[endpoint { method = POST, path = "/account/sign-in-methods", unpublished = true }]
    async fn page_sign_in_methods_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List the traveller's passkeys.
    #[endpoint { method = GET, path = "/account/passkeys", unpublished = true }]
    async fn page_passkeys(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Add, rename or remove a passkey.
    #[endpoint { method = POST, path = "/account/passkeys", unpublished = true }]
    async fn page_passkeys_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show whether one-time codes are on, or a new secret.
    #[endpoint { method = GET, path = "/account/one-time-codes", unpublished = true }]
    async fn page_one_time_codes(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Turn one-time codes on or off, or make new recovery codes.
    #[endpoint { method = POST, path = "/account/one-time-codes", unpublished = true }]
    async fn page_one_time_codes_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Ask again who is there, before a sensitive page.
    #[endpoint { method = GET, path = "/account/confirm", unpublished = true }]
    async fn page_confirm(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Check the password or passkey, or send the browser to a provider.
    #[endpoint { method = POST, path = "/account/confirm", unpublished = true }]
    async fn page_confirm_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the form for signing out.
    #[endpoint { method = GET, path = "/sign-out", unpublished = true }]
    async fn page_sign_out(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Sign out: end the browser's session.
    #[endpoint { method = POST, path = "/sign-out", unpublished = true }]
    async fn page_sign_out_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the signed-in traveller's account.
    #[endpoint { method = GET, path = "/account", unpublished = true }]
    async fn page_account(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Dismiss a moderator's warning.
    #[endpoint { method = POST, path = "/account", unpublished = true }]
    async fn page_account_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List the apps connected to the account.
    #[endpoint { method = GET, path = "/account/apps", unpublished = true }]
    async fn page_apps(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Disconnect an app: end its grants.
    #[endpoint { method = POST, path = "/account/apps", unpublished = true }]
    async fn page_apps_submit(rqctx: RequestContext<Self::Context>, request: WebRequest)
    -> ApiResponse<Response<Body>>;

    /// Show whether the account's calendar has an address.
    #[endpoint { method = GET, path = "/account/calendar", unpublished = true }]
    async fn page_calendar(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Make or end the address of the account's calendar.
    #[endpoint { method = POST, path = "/account/calendar", unpublished = true }]
    async fn page_calendar_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the form of a reset link.
    #[endpoint { method = GET, path = "/reset-password", unpublished = true }]
    async fn page_reset_password(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Set a new password with a reset link.
    #[endpoint { method = POST, path = "/reset-password", unpublished = true }]
    async fn page_reset_password_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the account's security log.
    #[endpoint { method = GET, path = "/account/security-log", unpublished = true }]
    async fn page_security_log(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Send the note of a suspended account's owner to the moderators.
    #[endpoint { method = POST, path = "/appeal", unpublished = true }]
    async fn page_appeal(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Show moderators what is reported, and who is suspended.
    #[endpoint { method = GET, path = "/moderation", unpublished = true }]
    async fn page_moderation(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// End a suspension.
    #[endpoint { method = POST, path = "/moderation", unpublished = true }]
    async fn page_moderation_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show moderators a reported itinerary.
    #[endpoint { method = GET, path = "/moderation/itineraries/{id}", unpublished = true }]
    async fn page_moderation_itinerary(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Keep or hide a reported itinerary, or warn or suspend its owner.
    #[endpoint { method = POST, path = "/moderation/itineraries/{id}", unpublished = true }]
    async fn page_moderation_itinerary_submit(
        rqctx: RequestContext<Self::Context>,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List invitations to create an account.
    #[endpoint { method = GET, path = "/moderation/invitations", unpublished = true }]
    async fn page_moderation_invitations(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Make an invitation to create an account.
    #[endpoint { method = POST, path = "/moderation/invitations", unpublished = true }]
    async fn page_moderation_invitations_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the form that asks for a reset link by mail.
    #[endpoint { method = GET, path = "/forgot-password", unpublished = true }]
    async fn page_forgot_password(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Send a reset link by mail.
    #[endpoint { method = POST, path = "/forgot-password", unpublished = true }]
    async fn page_forgot_password_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the account's e-mail address.
    #[endpoint { method = GET, path = "/account/email", unpublished = true }]
    async fn page_email(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Set or remove the account's e-mail address.
    #[endpoint { method = POST, path = "/account/email", unpublished = true }]
    async fn page_email_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the form of a link that verifies an e-mail address.
    #[endpoint { method = GET, path = "/verify-email", unpublished = true }]
    async fn page_verify_email(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Verify an e-mail address with a link.
    #[endpoint { method = POST, path = "/verify-email", unpublished = true }]
    async fn page_verify_email_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List the account's personal access tokens.
    #[endpoint { method = GET, path = "/account/tokens", unpublished = true }]
    async fn page_tokens(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Make or revoke a personal access token.
    #[endpoint { method = POST, path = "/account/tokens", unpublished = true }]
    async fn page_tokens_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List the account's pending invitations.
    #[endpoint { method = GET, path = "/account/invitations", unpublished = true }]
    async fn page_invitations(rqctx: RequestContext<Self::Context>, request: WebRequest)
    -> ApiResponse<Response<Body>>;

    /// Accept or decline an invitation, or block the traveller who sent it.
    #[endpoint { method = POST, path = "/account/invitations", unpublished = true }]
    async fn page_invitations_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// List the travellers that the account has blocked.
    #[endpoint { method = GET, path = "/account/blocks", unpublished = true }]
    async fn page_blocks(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Block or unblock a traveller.
    #[endpoint { method = POST, path = "/account/blocks", unpublished = true }]
    async fn page_blocks_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Show the form for changing the password.
    #[endpoint { method = GET, path = "/account/password", unpublished = true }]
    async fn page_password(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Change the password, and end other sessions as asked.
    #[endpoint { method = POST, path = "/account/password", unpublished = true }]
    async fn page_password_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;

    /// Describe the archive of the account's data.
    #[endpoint { method = GET, path = "/account/data", unpublished = true }]
    async fn page_data(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Download the archive of the account's data.
    #[endpoint { method = POST, path = "/account/data", unpublished = true }]
    async fn page_data_submit(rqctx: RequestContext<Self::Context>, request: WebRequest)
    -> ApiResponse<Response<Body>>;

    /// Show the form for deleting the account.
    #[endpoint { method = GET, path = "/account/delete", unpublished = true }]
    async fn page_delete(rqctx: RequestContext<Self::Context>, request: WebRequest) -> ApiResponse<Response<Body>>;

    /// Delete the account after a password check.
    #[endpoint { method = POST, path = "/account/delete", unpublished = true }]
    async fn page_delete_submit(
        rqctx: RequestContext<Self::Context>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>>;
}
