//! Everything you need for each noun of the API, one page each: its types and operations, the rules that matter, and a
//! program that runs as it is.
//!
//! The programs are the example `guide`, which the tests run against a server. Operations are named by their groups:
//! `flights().add` is [`Client::flights`](crate::Client::flights) and then [`add`](crate::groups::Flights::add).
//!
//! | page | nouns |
//! |---|---|
//! | [`itineraries`] | itineraries: create, read, list, change, delete |
//! | [`days`] | days and their stops |
//! | [`flights`], [`hotels`], [`transports`], [`reservations`] | bookings |
//! | [`imports`] | bookings from mails, passes and calendars |
//! | [`expenses`], [`packing`] | lists that need the Pro subscription |
//! | [`documents`] | sealed files |
//! | [`sharing`] | members, invitations and secret links |
//! | [`explore`] | public itineraries, likes, copies, followers |
//! | [`account`] | the traveller's own account |

macro_rules! pages {
    ($($(#[doc = $text:literal])+ $name:ident $program:literal;)+) => {
        $(
            $(#[doc = $text])+
            ///
            #[cfg_attr(feature = "sealing", doc = "```no_run")]
            #[cfg_attr(not(feature = "sealing"), doc = "```ignore")]
            #[doc = include_str!(concat!("../examples/guide/", $program))]
            #[doc = "```"]
            pub mod $name {}
        )+
    };
}

pages! {
    /// Itineraries: a trip with its destination, days, flights and hotels.
    ///
    /// | to | call |
    /// |---|---|
    /// | create | `itineraries().create(ItineraryCreate)`; [`send_dry_run`](crate::builder::ItineraryCreateRequest::send_dry_run) stores nothing |
    /// | read | `itineraries().view(id)`, or `view_if_changed(id, known)` with a version that you have |
    /// | list | `itineraries().list()` with `filter` and `updated_since`, then `send`, `stream` or `pages` |
    /// | change | `itineraries().update(id, version, ItineraryPatch)`, or `update_with(id, closure)` |
    /// | change together with others | [`edit_together(id, closure)`](crate::Client::edit_together): the service merges |
    /// | follow what changes | [`changes().now()`](crate::groups::Changes::now), then [`changes().from(cursor)`](crate::groups::Changes::from) |
    /// | look back | `revision_list(id)`, `revision_view(id, version)` and `revision_restore(id, version, current)` |
    /// | look for places again | `itineraries().places_refresh(id, version)` |
    /// | delete | `itineraries().delete(id, version)`, for its owner |
    ///
    /// - [`ItineraryCreate::to`](crate::types::ItineraryCreate::to) takes the only required field, the destination. The
    ///   service fills in the rest; [`needs_attention`](crate::types::Itinerary::needs_attention) says what it could not.
    /// - A second trip to the same destination on the same date fails with
    ///   [`DUPLICATE_ITINERARY`](crate::code::DUPLICATE_ITINERARY), unless `allow_duplicate(true)` is set.
    /// - Sections that the caller may not see, such as flights of somebody else's trip, are `None`. The methods
    ///   [`flights`](crate::types::Itinerary::flights), `hotels`, `expenses`, `packing` and `documents` return slices.
    /// - A list field of a patch replaces the whole list. The operations of the other pages change one item.
    itineraries "itineraries.rs";

    /// Days and their stops.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `days().list(id)` |
    /// | add | `days().add(id, version, DayInput)`, `stops().add(id, day, version, StopInput)`, both with `position` |
    /// | change | `days().update(…, DayPatch)`, `stops().update(…, StopPatch)`, or `update_with` |
    /// | move a stop | `stops().stop_move(id, day, stop, version, StopMove)`, within the day or to another one |
    /// | order a day | `days().optimise(id, day, version)`; `send_dry_run` stores nothing |
    /// | find activities | `stops().activity_list(id, day, stop)` |
    /// | remove | `days().remove`, `stops().remove` |
    ///
    /// - A stop's name is enough: the service places it near the destination. A day has no date; its position after the
    ///   trip's start date gives it.
    /// - `start_time` is `HH:MM` in the stop's time zone. Positions count from 0.
    /// - The service computes legs between adjacent stops.
    days "days.rs";

    /// Flights.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `flights().list(id)` |
    /// | add | `flights().add(id, version, FlightInput)` |
    /// | change | `flights().update(id, flight, version, FlightPatch)`, or `update_with` |
    /// | remove | `flights().remove(id, flight, version)` |
    /// | get a wallet pass | `wallet_passes().list(id)`, `wallet_passes().view(id, kind, flight)` |
    ///
    /// - [`FlightInput::new`](crate::types::FlightInput::new) takes the flight number,
    ///   [`between`](crate::types::FlightInput::between) the airports' codes.
    /// - Times are local times with their offset: text such as `2027-05-15T08:05:00+01:00`, or a
    ///   [`DateTime`](crate::chrono::DateTime) of chrono. The offset is kept.
    /// - Only the owner and members see flights.
    flights "flights.rs";

    /// Hotels and other lodging.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `hotels().list(id)` |
    /// | add | `hotels().add(id, version, HotelInput)` |
    /// | change | `hotels().update(id, hotel, version, HotelPatch)`, or `update_with` |
    /// | remove | `hotels().remove(id, hotel, version)` |
    ///
    /// - A name is enough: without a coordinate, the service looks for the hotel near the destination.
    /// - `check_out_date` must be after `check_in_date`. Both are local times with their offset.
    /// - Only the owner and members see hotels.
    hotels "hotels.rs";

    /// Trains, buses, ferries, taxis, transfers and hired cars.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `transports().list(id)` |
    /// | add | `transports().add(id, version, TransportInput)` |
    /// | change | `transports().update(id, transport, version, TransportPatch)`, or `update_with` |
    /// | remove | `transports().remove(id, transport, version)` |
    ///
    /// - [`TransportInput::new`](crate::types::TransportInput::new) takes the mode,
    ///   [`between`](crate::types::TransportInput::between) the names of both places, which the service looks for.
    /// - Of a hired car, the departure is its collection, the arrival its return.
    /// - `departure_day` is for a departure whose time is unknown.
    /// - Only the owner and members see transports.
    transports "transports.rs";

    /// Tables, shows and tours.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `reservations().list(id)` |
    /// | add | `reservations().add(id, version, ReservationInput)` |
    /// | change | `reservations().update(id, reservation, version, ReservationPatch)`, or `update_with` |
    /// | remove | `reservations().remove(id, reservation, version)` |
    ///
    /// - A name is enough: without a coordinate, the service looks for the place near the destination.
    /// - `start_day` and `end_day` are for times that are unknown.
    /// - Only the owner and members see reservations.
    reservations "reservations.rs";

    /// Bookings from files: mails, calendars, passes, and other files with bookings or places.
    ///
    /// | to | call |
    /// |---|---|
    /// | draft an itinerary from files | `imports().read(files, ImportOptions::default())` |
    /// | compare files with an itinerary | [`ImportOptions::into_itinerary(id)`](crate::ImportOptions::into_itinerary) |
    /// | replace values that differ | [`ImportOptions::overwrite`](crate::ImportOptions::overwrite) |
    /// | create the drafted itinerary | `itineraries().create(found.itinerary.into_create()?)` |
    /// | update the itinerary | `itineraries().update(id, found.etag, found.itinerary.into_update()?)` |
    ///
    /// - Reading stores nothing. `items` says what is added, updated or unchanged, `ignored` what is not imported, and why.
    /// - At most 20 files of 5 MB each, 20 MB in all. [`ImportFile`](crate::ImportFile) has a name and bytes; the format is
    ///   detected by the content.
    /// - A booking that several files have is one item. One that the itinerary has is recognised: its empty fields are filled.
    /// - [`into_create`](crate::types::ItineraryDraft::into_create) fails if no file says where the trip goes: ask, and set
    ///   `destination`.
    /// - If no file has anything to import, it fails with [`VALIDATION_FAILED`](crate::code::VALIDATION_FAILED) on `file`.
    imports "imports.rs";

    /// Expenses. They need the Pro subscription.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `expenses().list(id)` |
    /// | add | `expenses().add(id, version, ExpenseInput)` |
    /// | change | `expenses().update(id, expense, version, ExpensePatch)`, or `update_with` |
    /// | remove | `expenses().remove(id, expense, version)` |
    ///
    /// - A cost is an amount, `48.5`, in the itinerary's currency, or an amount with its currency, `(48.5, "EUR")`.
    /// - [`BelongsToInput`](crate::types::BelongsToInput) names the flight, hotel, transport, reservation, day or
    ///   stop that an expense belongs to.
    /// - Without Pro, they fail with [`SUBSCRIPTION_REQUIRED`](crate::code::SUBSCRIPTION_REQUIRED).
    expenses "expenses.rs";

    /// The packing list. It needs the Pro subscription.
    ///
    /// | to | call |
    /// |---|---|
    /// | list | `packing().list(id)` |
    /// | add | `packing().add(id, version, PackingItemInput)` |
    /// | change | `packing().update(id, item, version, PackingItemPatch)`, or `update_with` |
    /// | remove | `packing().remove(id, item, version)` |
    ///
    /// - A name is enough for an item. `quantity` defaults to 1, `is_packed` to false.
    /// - Without Pro, they fail with [`SUBSCRIPTION_REQUIRED`](crate::code::SUBSCRIPTION_REQUIRED).
    packing "packing.rs";

    /// Documents: files that are sealed (encrypted) on the traveller's device, such as boarding passes. Sealing needs the
    /// feature `sealing`.
    ///
    /// | to | call |
    /// |---|---|
    /// | seal and upload | `documents().seal_and_upload(id, file, seal, details, progress)` |
    /// | upload a sealed file | `documents().upload(id, file, details)` |
    /// | list | `documents().list(id)` |
    /// | change | `documents().update(id, document, version, DocumentPatch)`, or `update_with` |
    /// | download and open | `documents().download_and_open(id, document, key, writer, progress)` |
    /// | download as it is | `documents().link(id, document)`, then `documents().download(url)` |
    /// | delete | `documents().delete(id, document, version)` |
    ///
    /// - The version of a document is the itinerary's: that of the list, of the uploaded document or of the itinerary.
    ///   An upload needs none, and each write returns the next one, [`Versioned<()>`](crate::Versioned) for a deletion.
    /// - Uploading needs Pro and the scope `documents:write`, downloading `documents:read`.
    /// - Names, categories and media types are not encrypted. A sealed file has at most 20 MB.
    /// - `SealingError` has the service's code, or its own, such as `wrongKey`.
    documents "documents.rs";

    /// Sharing an itinerary with other travellers.
    ///
    /// | to | call |
    /// |---|---|
    /// | find an account | `people().account_find(username)` |
    /// | invite, or change a role | `members().set(id, account, MemberRole)`, for the owner |
    /// | list members | `members().list(id)` |
    /// | remove a member, or leave | `members().remove(id, account)` |
    /// | list one's invitations | `invitations().list()` |
    /// | answer one | `invitations().accept(id)`, `invitations().decline(id)` |
    /// | show it without an account | `links().create(id, LinkCreate)`, whose `url` is the page's address |
    /// | list and end such links | `links().list(id)`, `links().delete(id, link)`, for the owner |
    ///
    /// - Editors change content and documents, viewers read. Visibility and members are the owner's.
    /// - Members and links do not change the itinerary's version.
    /// - [`LinkCreate::new`](crate::types::LinkCreate::new) takes a label, which no other link of the itinerary has. Store
    ///   [`url`](crate::types::Link::url): no other response contains it, also not that to a retry.
    /// - If somebody else has written, a write fails with [`ITINERARY_MODIFIED`](crate::code::ITINERARY_MODIFIED);
    ///   [`current_etag`](crate::ErrorExt::current_etag) has the current version. `update_with` reads and writes again.
    sharing "sharing.rs";

    /// Public itineraries, and what other travellers do with them.
    ///
    /// | to | call |
    /// |---|---|
    /// | publish | `itineraries().update` with `visibility(Visibility::Public)`, for the owner |
    /// | browse and search | `explore().list()` with `q`, `regions`, `filter` and `following` |
    /// | like, dislike | `marks().like_set(id)`, `like_clear`, `dislike_set`, `dislike_clear`, `view` |
    /// | save a copy | `marks().itinerary_save(id)` |
    /// | report | `marks().report_create(id, ReportCreate)` |
    /// | follow, block | `people().follow_set(account)`, `follow_clear`, `block_set`, `block_clear` |
    /// | see somebody's trips | `people().account_itinerary_list(account)` |
    ///
    /// - A copy is the reader's own, private, and has a version of its own. It has no flights, hotels or expenses.
    /// - Marks do not change the itinerary's version.
    explore "explore.rs";

    /// The account of the traveller that the token acts for.
    ///
    /// | to | call |
    /// |---|---|
    /// | read | `account().account_self()` |
    /// | change | `account().account_self_update(AccountPatch)` |
    ///
    /// - `scopes` are those of the token, `plan` is the subscription.
    /// - [`needs_sign_in`](crate::ErrorExt::needs_sign_in) says whether a failed request needs a new sign-in.
    account "account.rs";
}
