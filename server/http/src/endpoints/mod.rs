//! The endpoint trait's implementation: each operation unwraps its extractors and calls its use case.
//!
//! The implementation of a trait cannot be split, so all operations are in this file, each a short call.

mod calendar;
mod changes;
mod docs;
mod documents;
mod export;
mod images;
mod imports;
mod oauth;
mod trips;
mod wallet;

use std::sync::atomic::Ordering;

use bytes::Bytes;
use dropshot::{Body, RequestContext};
use http::Response;
use itinerary_api::ItineraryApi;
use itinerary_api::error::ApiError;
use itinerary_api::extract::{
    BytesBody, ClientAddress, Described, DescribedPath, FormBody, IfNoneMatch, JsonBody, JsonBytes, Keyed,
    OptionalJsonBody, PathParams, QueryParams, UploadBody, WebRequest,
};
use itinerary_api::reply::{
    ApiResponse, Changes, Empty, Export, Handled, OAuthResponse, Pass, Refused, Reply, RpcReply, handled,
};
use itinerary_api::request_state::{Caller, Conditions};
use itinerary_api::types::oauth::{
    AuthorisationServerMetadata, AuthoriseQuery, ProtectedResourceMetadata, Registration, RegistrationRequest,
    RevocationRequest, TokenRequest, TokenResponse,
};
use itinerary_api::types::{
    Account, AccountListQuery, AccountPatch, AccountPath, AccountQuery, CalendarPath, ChangeQuery, CreateQuery, Day,
    DayMove, DayPatch, DayPath, DeliveryPath, DocsPath, DocumentLink, DocumentPatch, DocumentPath, Expense,
    ExpensePatch, ExpensePath, ExploreQuery, ExportFormat, ExportQuery, Flight, FlightPatch, FlightPath, Health, Hotel,
    HotelPatch, HotelPath, ImagePath, ImportQuery, ImportResult, Invitation, ItemList, Itinerary, ItineraryCreate,
    ItineraryPatch, ItineraryPath, ItineraryShift, Link, LinkCreate, LinkPath, ListQuery, ListedDocument,
    ListedItinerary, Marks, Member, MemberChange, MemberPath, Optimisation, OptimiseRequest, PackingItem,
    PackingItemPatch, PackingPath, Page, PageQuery, PositionQuery, Profile, ProviderPath, Report, ReportCreate,
    Reservation, ReservationPatch, ReservationPath, Revision, RevisionPath, RpcMessage, SecretPath, SignedPath, Stop,
    StopMove, StopPatch, StopPath, StopSuggestion, Transport, TransportPatch, TransportPath, TripPath,
    UploadedDocument, WalletPass, WalletPassPath, WalletPassQuery, Webhook, WebhookCreate, WebhookDelivery,
    WebhookPatch, WebhookPath,
};
use itinerary_app::itineraries::covers::Size;
use itinerary_app::itineraries::{self, ReadConditions, revisions};
use itinerary_app::people::Side;
use itinerary_app::{Error, Rendered, blocks, explore, invitations, links, marks, members, people, reports, webhooks};
use itinerary_core::content::PartItem;
use itinerary_core::edit::{self, Edit, ItemEdit};
use itinerary_oauth::{authorise, discovery, pages};
use itinerary_platform::context::Service;
use itinerary_store::Mark;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::HandlerContext;
use super::contexts::{self, service};
use super::{own_itinerary, replies};

/// The implementation of the endpoint trait. Has no values.
pub(crate) enum Api {}

type Cx = RequestContext<HandlerContext>;

/// The response of a use case that renders its own JSON.
fn reply<T, const STATUS: u16>(outcome: itinerary_app::Result<Rendered<T>>) -> ApiResponse<Reply<T, STATUS>> {
    handled(outcome.map(replies::rendered))
}

/// The response of a use case that returns a value of the contract.
fn json<T: Serialize, const STATUS: u16>(outcome: Result<T, impl Into<ApiError>>) -> ApiResponse<Reply<T, STATUS>> {
    handled(outcome.map(|value| Reply::json(&value)))
}

/// The response of a use case that returns nothing.
fn empty(outcome: itinerary_app::Result<()>) -> ApiResponse<Empty> {
    handled(outcome.map(|()| Empty::default()))
}

/// A response that cannot fail.
fn response<R, E>(response: R) -> Result<Handled<R, E>, Refused<E>> {
    handled(Ok::<_, E>(response))
}

/// Changes an itinerary.
async fn change(
    cx: Cx,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    edit: Edit,
) -> ApiResponse<Reply<Itinerary>> {
    reply(itineraries::change(&service(cx), caller, id, conditions, edit).await)
}

/// Lists the part of an itinerary that has such items.
async fn list<T: PartItem>(
    cx: Cx,
    caller: &Caller,
    id: Uuid,
    if_none_match: IfNoneMatch,
) -> ApiResponse<Reply<ItemList<T>>> {
    reply(itineraries::list_part(&service(cx), caller, id, read_conditions(if_none_match)).await)
}

fn read_conditions(IfNoneMatch(if_none_match): IfNoneMatch) -> ReadConditions {
    ReadConditions { if_none_match, preloaded: own_itinerary::take(), format: None }
}

async fn set_mark(cx: Cx, caller: &Caller, id: Uuid, mark: Mark) -> ApiResponse<Reply<Marks>> {
    json(marks::set(&service(cx), caller, id, mark).await)
}

async fn clear_mark(cx: Cx, caller: &Caller, id: Uuid, mark: Mark) -> ApiResponse<Reply<Marks>> {
    json(marks::clear(&service(cx), caller, id, mark).await)
}

async fn list_people(
    cx: Cx,
    caller: &Caller,
    path: PathParams<AccountPath>,
    side: Side,
    query: QueryParams<PageQuery>,
) -> ApiResponse<Reply<Page<Profile>>> {
    json(people::list(&service(cx), caller, path.0.account_id, side, query.0).await)
}

/// A page, which shows its errors itself.
fn page<E>(page: Response<Bytes>) -> Result<Handled<Response<Body>, E>, Refused<E>> {
    response(page.map(Body::from))
}

/// The response of the health checks of a server that works.
fn healthy() -> Health {
    Health { status: "ok".to_owned() }
}

/// Whether the server can serve: it is not about to stop and its database answers.
async fn ready(service: &Service) -> Result<Health, ApiError> {
    if service.stopping.load(Ordering::Relaxed) {
        return Err(ApiError::stopping());
    }
    service.store.ping().await.map_err(Error::from)?;
    Ok(healthy())
}

impl ItineraryApi for Api {
    type Context = HandlerContext;

    async fn itinerary_list(
        cx: Cx,
        caller: Caller,
        query: QueryParams<ListQuery>,
    ) -> ApiResponse<Reply<Page<ListedItinerary>>> {
        reply(itinerary_app::list(&service(cx), &caller, query.0).await)
    }

    async fn itinerary_create(
        cx: Cx,
        caller: Caller,
        query: QueryParams<CreateQuery>,
        key: Keyed,
        body: JsonBody<ItineraryCreate>,
    ) -> ApiResponse<Reply<Itinerary, 201>> {
        reply(itineraries::create(&service(cx), &caller, query.0, key.0, body.0).await)
    }

    async fn itinerary_view(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<Itinerary>> {
        reply(itineraries::view_one(&service(cx), &caller, path.0.id, read_conditions(if_none_match)).await)
    }

    async fn itinerary_export(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<ExportQuery>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Export> {
        let headers = cx.request.headers().clone();
        let (id, format, known) = (path.0.id, query.0.format, read_conditions(if_none_match));
        handled(export::export(&service(cx), &headers, &caller, id, format, known).await)
    }

    async fn itinerary_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Itinerary(Box::new(body.0));
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn itinerary_delete(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResponse<Empty> {
        empty(itineraries::delete(&service(cx), &caller, path.0.id, conditions.if_match.as_ref()).await)
    }

    async fn itinerary_shift(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryShift>,
    ) -> ApiResponse<Reply<Itinerary>> {
        reply(itineraries::shift(&service(cx), &caller, path.0.id, conditions, body.0).await)
    }

    async fn itinerary_places_refresh(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        reply(itineraries::refresh_places(&service(cx), &caller, path.0.id, conditions).await)
    }

    async fn itinerary_cover_image_set(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: BytesBody,
    ) -> ApiResponse<Reply<Itinerary>> {
        handled(images::set_cover(&service(cx), &caller, path.0.id, conditions, body).await)
    }

    async fn import_read(
        cx: Cx,
        caller: Caller,
        query: QueryParams<ImportQuery>,
        body: UploadBody,
    ) -> ApiResponse<Reply<ImportResult>> {
        let read = imports::import(&service(cx), &caller, &query.0, body).await;
        handled(read.map(|result| Reply::json(&result)))
    }

    async fn revision_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Revision>>> {
        json(revisions::list(&service(cx), &caller, path.0.id, query.0).await)
    }

    async fn revision_view(cx: Cx, caller: Caller, path: PathParams<RevisionPath>) -> ApiResponse<Reply<Itinerary>> {
        reply(revisions::view(&service(cx), &caller, path.0.id, path.0.version).await)
    }

    async fn revision_restore(
        cx: Cx,
        caller: Caller,
        path: PathParams<RevisionPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        reply(revisions::restore(&service(cx), &caller, path.0.id, conditions, path.0.version).await)
    }

    async fn day_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Day>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn day_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Day>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Day(ItemEdit::Add { item: body.0, position: query.0.position.map(edit::index) });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn day_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: JsonBody<DayPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::Day(ItemEdit::Update { id: day_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn day_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::Day(ItemEdit::Remove { id: day_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn stop_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Stop>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::Stop(day_id, ItemEdit::Add { item: body.0, position: query.0.position.map(edit::index) });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn stop_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let edit = Edit::Stop(day_id, ItemEdit::Update { id: stop_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn stop_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let edit = Edit::Stop(day_id, ItemEdit::Remove { id: stop_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn stop_move(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopMove>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let edit = Edit::StopMove { day: day_id, stop: stop_id, to: body.0 };
        change(cx, &caller, id, conditions, edit).await
    }

    async fn stop_activity_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
    ) -> ApiResponse<Reply<ItemList<StopSuggestion>>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let activities = itineraries::activities::list(&service(cx), &caller, id, &day_id, &stop_id).await;
        json(activities.map(|data| ItemList { data }))
    }

    async fn day_move(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: JsonBody<DayMove>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::DayMove { day: day_id, position: edit::index(body.0.position) };
        change(cx, &caller, id, conditions, edit).await
    }

    async fn day_optimise(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: OptionalJsonBody<OptimiseRequest>,
    ) -> ApiResponse<Reply<Optimisation>> {
        let DayPath { id, day_id } = path.0;
        reply(itineraries::optimise(&service(cx), &caller, id, conditions, day_id, body.0).await)
    }

    async fn flight_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Flight>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn flight_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Flight>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Flight(ItemEdit::Add { item: body.0, position: None });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn flight_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
        body: JsonBody<FlightPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let FlightPath { id, flight_id } = path.0;
        let edit = Edit::Flight(ItemEdit::Update { id: flight_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn flight_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let FlightPath { id, flight_id } = path.0;
        let edit = Edit::Flight(ItemEdit::Remove { id: flight_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn hotel_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Hotel>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn hotel_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Hotel>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Hotel(ItemEdit::Add { item: body.0, position: None });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn hotel_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
        body: JsonBody<HotelPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let HotelPath { id, hotel_id } = path.0;
        let edit = Edit::Hotel(ItemEdit::Update { id: hotel_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn hotel_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let HotelPath { id, hotel_id } = path.0;
        let edit = Edit::Hotel(ItemEdit::Remove { id: hotel_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn transport_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Transport>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn transport_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Transport>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Transport(ItemEdit::Add { item: body.0, position: None });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn transport_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<TransportPath>,
        conditions: Conditions,
        body: JsonBody<TransportPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let TransportPath { id, transport_id } = path.0;
        let edit = Edit::Transport(ItemEdit::Update { id: transport_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn transport_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<TransportPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let TransportPath { id, transport_id } = path.0;
        let edit = Edit::Transport(ItemEdit::Remove { id: transport_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn reservation_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Reservation>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn reservation_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Reservation>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Reservation(ItemEdit::Add { item: body.0, position: None });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn reservation_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<ReservationPath>,
        conditions: Conditions,
        body: JsonBody<ReservationPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let ReservationPath { id, reservation_id } = path.0;
        let edit = Edit::Reservation(ItemEdit::Update { id: reservation_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn reservation_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<ReservationPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let ReservationPath { id, reservation_id } = path.0;
        let edit = Edit::Reservation(ItemEdit::Remove { id: reservation_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn expense_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<Expense>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn expense_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Expense>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::Expense(ItemEdit::Add { item: body.0, position: None });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn expense_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
        body: JsonBody<ExpensePatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let ExpensePath { id, expense_id } = path.0;
        let edit = Edit::Expense(ItemEdit::Update { id: expense_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn expense_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let ExpensePath { id, expense_id } = path.0;
        let edit = Edit::Expense(ItemEdit::Remove { id: expense_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn packing_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<PackingItem>>> {
        list(cx, &caller, path.0.id, if_none_match).await
    }

    async fn packing_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<PackingItem>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let edit = Edit::PackingItem(ItemEdit::Add { item: body.0, position: None });
        change(cx, &caller, path.0.id, conditions, edit).await
    }

    async fn packing_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
        body: JsonBody<PackingItemPatch>,
    ) -> ApiResponse<Reply<Itinerary>> {
        let PackingPath { id, packing_id } = path.0;
        let edit = Edit::PackingItem(ItemEdit::Update { id: packing_id, patch: body.0 });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn packing_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
    ) -> ApiResponse<Reply<Itinerary>> {
        let PackingPath { id, packing_id } = path.0;
        let edit = Edit::PackingItem(ItemEdit::Remove { id: packing_id });
        change(cx, &caller, id, conditions, edit).await
    }

    async fn document_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        if_none_match: IfNoneMatch,
    ) -> ApiResponse<Reply<ItemList<ListedDocument>>> {
        reply(itineraries::documents::list(&service(cx), &caller, path.0.id, read_conditions(if_none_match)).await)
    }

    async fn document_upload(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: UploadBody,
    ) -> ApiResponse<Reply<UploadedDocument, 201>> {
        handled(documents::upload(&service(cx), &caller, path.0.id, key.0, body).await)
    }

    async fn document_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
        body: JsonBody<DocumentPatch>,
    ) -> ApiResponse<Reply<ListedDocument>> {
        let DocumentPath { id, document_id } = path.0;
        reply(itineraries::documents::update(&service(cx), &caller, id, document_id, conditions, body.0).await)
    }

    async fn document_delete(
        cx: Cx,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
    ) -> ApiResponse<Empty> {
        let DocumentPath { id, document_id } = path.0;
        handled(
            itineraries::documents::delete(&service(cx), &caller, id, document_id, conditions)
                .await
                .map(replies::without_body),
        )
    }

    async fn document_link(cx: Cx, caller: Caller, path: PathParams<DocumentPath>) -> ApiResponse<Reply<DocumentLink>> {
        let DocumentPath { id, document_id } = path.0;
        json(itineraries::documents::link(&service(cx), &caller, id, document_id).await)
    }

    async fn wallet_pass_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<ItemList<WalletPass>>> {
        reply(itineraries::wallet::list(&service(cx), &caller, path.0.id).await)
    }

    async fn wallet_pass_view(
        cx: Cx,
        caller: Caller,
        path: PathParams<WalletPassPath>,
        query: QueryParams<WalletPassQuery>,
    ) -> ApiResponse<Pass> {
        let WalletPassPath { id, kind, item_id } = path.0;
        let made = itineraries::wallet::view(&service(cx), &caller, id, (kind, &item_id), query.0).await;
        handled(made.map(wallet::pass))
    }

    async fn member_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResponse<Reply<ItemList<Member>>> {
        json(members::list(&service(cx), &caller, path.0.id).await.map(|data| ItemList { data }))
    }

    async fn member_set(
        cx: Cx,
        caller: Caller,
        path: PathParams<MemberPath>,
        body: JsonBody<MemberChange>,
    ) -> ApiResponse<Reply<Member>> {
        let MemberPath { id, account_id } = path.0;
        json(members::set(&service(cx), &caller, id, account_id, body.0.role).await)
    }

    async fn member_remove(cx: Cx, caller: Caller, path: PathParams<MemberPath>) -> ApiResponse<Empty> {
        let MemberPath { id, account_id } = path.0;
        empty(members::remove(&service(cx), &caller, id, account_id).await)
    }

    async fn link_list(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<ItemList<Link>>> {
        json(links::list(&service(cx), &caller, path.0.id).await)
    }

    async fn link_create(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: JsonBody<LinkCreate>,
    ) -> ApiResponse<Reply<Link, 201>> {
        reply(links::create(&service(cx), &caller, path.0.id, key.0, body.0).await)
    }

    async fn link_delete(cx: Cx, caller: Caller, path: PathParams<LinkPath>) -> ApiResponse<Empty> {
        let LinkPath { id, link_id } = path.0;
        empty(links::delete(&service(cx), &caller, id, link_id).await)
    }

    async fn change_list(cx: Cx, caller: Caller, query: QueryParams<ChangeQuery>) -> ApiResponse<Changes> {
        let headers = cx.request.headers().clone();
        handled(changes::list(service(cx), &headers, &caller, query.0).await)
    }

    async fn webhook_list(cx: Cx, caller: Caller) -> ApiResponse<Reply<ItemList<Webhook>>> {
        json(webhooks::list(&service(cx), &caller).await)
    }

    async fn webhook_create(cx: Cx, caller: Caller, body: JsonBody<WebhookCreate>) -> ApiResponse<Reply<Webhook, 201>> {
        json(webhooks::create(&service(cx), &caller, body.0).await)
    }

    async fn webhook_view(cx: Cx, caller: Caller, path: PathParams<WebhookPath>) -> ApiResponse<Reply<Webhook>> {
        json(webhooks::view(&service(cx), &caller, path.0.webhook_id).await)
    }

    async fn webhook_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<WebhookPath>,
        body: JsonBody<WebhookPatch>,
    ) -> ApiResponse<Reply<Webhook>> {
        json(webhooks::update(&service(cx), &caller, path.0.webhook_id, body.0).await)
    }

    async fn webhook_delete(cx: Cx, caller: Caller, path: PathParams<WebhookPath>) -> ApiResponse<Empty> {
        empty(webhooks::delete(&service(cx), &caller, path.0.webhook_id).await)
    }

    async fn webhook_rotate_secret(
        cx: Cx,
        caller: Caller,
        path: PathParams<WebhookPath>,
    ) -> ApiResponse<Reply<Webhook>> {
        json(webhooks::rotate_secret(&service(cx), &caller, path.0.webhook_id).await)
    }

    async fn webhook_test(
        cx: Cx,
        caller: Caller,
        path: PathParams<WebhookPath>,
    ) -> ApiResponse<Reply<WebhookDelivery, 202>> {
        json(webhooks::test(&service(cx), &caller, path.0.webhook_id).await)
    }

    async fn webhook_delivery_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<WebhookPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<WebhookDelivery>>> {
        json(webhooks::deliveries(&service(cx), &caller, path.0.webhook_id, query.0).await)
    }

    async fn webhook_redeliver(
        cx: Cx,
        caller: Caller,
        path: PathParams<DeliveryPath>,
    ) -> ApiResponse<Reply<WebhookDelivery, 202>> {
        json(webhooks::redeliver(&service(cx), &caller, path.0.webhook_id, path.0.delivery_id).await)
    }

    async fn invitation_list(
        cx: Cx,
        caller: Caller,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Invitation>>> {
        json(invitations::list(&service(cx), &caller, query.0).await)
    }

    async fn invitation_accept(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<Member>> {
        json(invitations::accept(&service(cx), caller.account, path.0.id).await)
    }

    async fn invitation_decline(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Empty> {
        empty(invitations::decline(&service(cx), caller.account, path.0.id).await)
    }

    async fn marks_view(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<Marks>> {
        json(marks::view(&service(cx), &caller, path.0.id).await)
    }

    async fn like_set(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<Marks>> {
        set_mark(cx, &caller, path.0.id, Mark::Like).await
    }

    async fn like_clear(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<Marks>> {
        clear_mark(cx, &caller, path.0.id, Mark::Like).await
    }

    async fn dislike_set(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<Marks>> {
        set_mark(cx, &caller, path.0.id, Mark::Dislike).await
    }

    async fn dislike_clear(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResponse<Reply<Marks>> {
        clear_mark(cx, &caller, path.0.id, Mark::Dislike).await
    }

    async fn itinerary_save(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
    ) -> ApiResponse<Reply<Itinerary, 201>> {
        reply(itineraries::save(&service(cx), &caller, path.0.id, key.0).await)
    }

    async fn report_create(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        key: Keyed,
        body: JsonBody<ReportCreate>,
    ) -> ApiResponse<Reply<Report, 201>> {
        reply(reports::create(&service(cx), &caller, path.0.id, key.0, body.0).await)
    }

    async fn explore_list(
        cx: Cx,
        caller: Caller,
        query: QueryParams<ExploreQuery>,
    ) -> ApiResponse<Reply<Page<ListedItinerary>>> {
        reply(explore::explore(&service(cx), &caller, query.0).await)
    }

    async fn account_self(cx: Cx, caller: Caller) -> ApiResponse<Reply<Account>> {
        json(people::own(&service(cx), &caller).await)
    }

    async fn account_self_update(cx: Cx, caller: Caller, body: JsonBody<AccountPatch>) -> ApiResponse<Reply<Account>> {
        json(people::change_own(&service(cx), &caller, body.0).await)
    }

    async fn account_find(cx: Cx, caller: Caller, query: QueryParams<AccountQuery>) -> ApiResponse<Reply<Profile>> {
        json(people::find(&service(cx), &caller, &query.0.username).await)
    }

    async fn account_view(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResponse<Reply<Profile>> {
        json(people::view(&service(cx), &caller, path.0.account_id).await)
    }

    async fn account_itinerary_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<AccountListQuery>,
    ) -> ApiResponse<Reply<Page<ListedItinerary>>> {
        reply(itinerary_app::list_of(&service(cx), &caller, path.0.account_id, query.0).await)
    }

    async fn follow_set(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResponse<Empty> {
        empty(people::follow(&service(cx), &caller, path.0.account_id).await)
    }

    async fn follow_clear(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResponse<Empty> {
        empty(people::unfollow(&service(cx), &caller, path.0.account_id).await)
    }

    async fn follower_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Profile>>> {
        list_people(cx, &caller, path, Side::Followers, query).await
    }

    async fn following_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResponse<Reply<Page<Profile>>> {
        list_people(cx, &caller, path, Side::Following, query).await
    }

    async fn follower_remove(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResponse<Empty> {
        empty(people::remove_follower(&service(cx), &caller, path.0.account_id).await)
    }

    async fn block_list(cx: Cx, caller: Caller, query: QueryParams<PageQuery>) -> ApiResponse<Reply<Page<Profile>>> {
        json(blocks::list(&service(cx), &caller, query.0).await)
    }

    async fn block_set(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResponse<Empty> {
        empty(blocks::set(&service(cx), caller.account, path.0.account_id).await)
    }

    async fn block_clear(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResponse<Empty> {
        empty(blocks::clear(&service(cx), caller.account, path.0.account_id).await)
    }

    async fn oauth_register(
        cx: Cx,
        address: ClientAddress,
        body: JsonBytes<RegistrationRequest>,
    ) -> OAuthResponse<Reply<Registration, 201>> {
        handled(oauth::register(&service(cx), address.0, &body.bytes).await)
    }

    async fn oauth_authorise(
        cx: Cx,
        _: Described<AuthoriseQuery>,
        request: WebRequest,
    ) -> OAuthResponse<Response<Body>> {
        page(authorise::authorise(&service(cx), &request).await)
    }

    async fn oauth_decision(cx: Cx, request: WebRequest) -> OAuthResponse<Response<Body>> {
        page(authorise::decide(&service(cx), &request).await)
    }

    async fn oauth_token(cx: Cx, form: FormBody<TokenRequest>) -> OAuthResponse<Reply<TokenResponse>> {
        let headers = cx.request.headers().clone();
        handled(oauth::token(&service(cx), &headers, &form.pairs, form.address).await)
    }

    async fn oauth_revoke(cx: Cx, form: FormBody<RevocationRequest>) -> OAuthResponse<Reply<Map<String, Value>>> {
        let headers = cx.request.headers().clone();
        handled(oauth::revoke(&service(cx), &headers, &form.pairs, form.address).await)
    }

    async fn discovery_authorisation_server(cx: Cx) -> ApiResponse<Reply<AuthorisationServerMetadata>> {
        response(Reply::json(&discovery::authorisation_server(&service(cx))))
    }

    async fn discovery_protected_resource(cx: Cx) -> ApiResponse<Reply<ProtectedResourceMetadata>> {
        response(Reply::json(&discovery::protected_resource(&service(cx))))
    }

    async fn discovery_protected_resource_mcp(cx: Cx) -> ApiResponse<Reply<ProtectedResourceMetadata>> {
        response(Reply::json(&discovery::protected_resource_mcp(&service(cx))))
    }

    async fn openapi_document(cx: Cx) -> ApiResponse<Reply<Map<String, Value>>> {
        response(Reply::stored(vec![contexts::docs(cx).document().clone()]))
    }

    async fn health_live(cx: Cx) -> ApiResponse<Reply<Health>> {
        drop(service(cx));
        response(Reply::json(&healthy()))
    }

    async fn health_ready(cx: Cx) -> ApiResponse<Reply<Health>> {
        json(ready(&service(cx)).await)
    }

    async fn document_file_view(
        cx: Cx,
        path: PathParams<SignedPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>> {
        handled(documents::file(&service(cx), &path.0.signed, &request.headers).await)
    }

    async fn image_view(cx: Cx, address: ClientAddress, path: PathParams<ImagePath>) -> ApiResponse<Response<Body>> {
        handled(images::view(&service(cx), address.0, &path.0.id, Size::Large).await)
    }

    async fn image_small_view(
        cx: Cx,
        address: ClientAddress,
        path: PathParams<ImagePath>,
    ) -> ApiResponse<Response<Body>> {
        handled(images::view(&service(cx), address.0, &path.0.id, Size::Small).await)
    }

    async fn calendar_view(cx: Cx, path: PathParams<CalendarPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        handled(calendar::view(&service(cx), &path.0.file, &request).await)
    }

    async fn mcp(cx: Cx, caller: Caller, body: JsonBytes<RpcMessage>) -> ApiResponse<RpcReply> {
        let headers = cx.request.headers().clone();
        let reply = RpcReply(itinerary_mcp::respond(service(cx), caller, &headers, &body.bytes).await);
        handled(Ok::<_, ApiError>(reply))
    }

    async fn page_home(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::home(&service(cx), &request).await)
    }

    async fn page_style(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::style(&service(cx), &request).await)
    }

    async fn page_script(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::script(&service(cx), &request).await)
    }

    async fn page_passkeys_script(_: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::passkeys_script(&request).await)
    }

    async fn page_icon(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::icon(&service(cx), &request).await)
    }

    async fn page_logo(_: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::logo(&request).await)
    }

    async fn page_favicon(_: Cx, _: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::favicon().await)
    }

    async fn page_robots(_: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::robots(&request).await)
    }

    async fn page_trips(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trips(&service(cx), &request).await)
    }

    async fn page_trip_style(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_style(&service(cx), &request).await)
    }

    async fn page_sign_up(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_up(&service(cx), &request).await)
    }

    async fn page_sign_up_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_up(&service(cx), &request).await)
    }

    async fn page_sign_in(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_in(&service(cx), &request).await)
    }

    async fn page_sign_in_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_in(&service(cx), &request).await)
    }

    async fn page_provider_sign_in(
        cx: Cx,
        path: PathParams<ProviderPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>> {
        page(pages::provider_sign_in(&service(cx), &path.0.provider, &request).await)
    }

    async fn page_provider_callback(
        cx: Cx,
        path: PathParams<ProviderPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>> {
        page(pages::provider_callback(&service(cx), &path.0.provider, &request).await)
    }

    async fn page_provider_account(
        cx: Cx,
        path: PathParams<ProviderPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>> {
        page(pages::provider_account(&service(cx), &path.0.provider, &request).await)
    }

    async fn page_sign_in_methods(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_in_methods(&service(cx), &request).await)
    }

    async fn page_sign_in_methods_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_in_methods(&service(cx), &request).await)
    }

    async fn page_passkeys(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::passkeys(&service(cx), &request).await)
    }

    async fn page_passkeys_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::passkeys(&service(cx), &request).await)
    }

    async fn page_one_time_codes(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::one_time_codes(&service(cx), &request).await)
    }

    async fn page_one_time_codes_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::one_time_codes(&service(cx), &request).await)
    }

    async fn page_confirm(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::confirm(&service(cx), &request).await)
    }

    async fn page_confirm_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::confirm(&service(cx), &request).await)
    }

    async fn page_sign_out(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_out(&service(cx), &request).await)
    }

    async fn page_sign_out_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::sign_out(&service(cx), &request).await)
    }

    async fn page_account(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::account(&service(cx), &request).await)
    }

    async fn page_account_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::account(&service(cx), &request).await)
    }

    async fn page_apps(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::apps(&service(cx), &request).await)
    }

    async fn page_apps_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::apps(&service(cx), &request).await)
    }

    async fn page_calendar(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::calendar(&service(cx), &request).await)
    }

    async fn page_calendar_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::calendar(&service(cx), &request).await)
    }

    async fn page_reset_password(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::reset_password(&service(cx), &request).await)
    }

    async fn page_reset_password_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::reset_password(&service(cx), &request).await)
    }

    async fn page_security_log(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::security_log(&service(cx), &request).await)
    }

    async fn page_appeal(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::appeal(&service(cx), &request).await)
    }

    async fn page_moderation(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::moderation(&service(cx), &request).await)
    }

    async fn page_moderation_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::moderation(&service(cx), &request).await)
    }

    async fn page_moderation_itinerary(
        cx: Cx,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>> {
        page(pages::moderation_itinerary(&service(cx), &path.0.id, &request).await)
    }

    async fn page_moderation_itinerary_submit(
        cx: Cx,
        path: PathParams<TripPath>,
        request: WebRequest,
    ) -> ApiResponse<Response<Body>> {
        page(pages::moderation_itinerary(&service(cx), &path.0.id, &request).await)
    }

    async fn page_moderation_invitations(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::moderation_invitations(&service(cx), &request).await)
    }

    async fn page_moderation_invitations_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::moderation_invitations(&service(cx), &request).await)
    }

    async fn page_forgot_password(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::forgot_password(&service(cx), &request).await)
    }

    async fn page_forgot_password_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::forgot_password(&service(cx), &request).await)
    }

    async fn page_email(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::email(&service(cx), &request).await)
    }

    async fn page_email_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::email(&service(cx), &request).await)
    }

    async fn page_verify_email(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::verify_email(&service(cx), &request).await)
    }

    async fn page_verify_email_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::verify_email(&service(cx), &request).await)
    }

    async fn page_tokens(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::tokens(&service(cx), &request).await)
    }

    async fn page_tokens_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::tokens(&service(cx), &request).await)
    }

    async fn page_invitations(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::invitations(&service(cx), &request).await)
    }

    async fn page_invitations_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::invitations(&service(cx), &request).await)
    }

    async fn page_blocks(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::blocks(&service(cx), &request).await)
    }

    async fn page_blocks_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::blocks(&service(cx), &request).await)
    }

    async fn page_password(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::password(&service(cx), &request).await)
    }

    async fn page_password_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::password(&service(cx), &request).await)
    }

    async fn page_data(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::data(&service(cx), &request).await)
    }

    async fn page_delete(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::delete(&service(cx), &request).await)
    }

    async fn page_delete_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::delete(&service(cx), &request).await)
    }

    async fn page_trip(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip(&service(cx), &path.0.id, &request).await)
    }

    async fn page_trip_like(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_like(&service(cx), &path.0.id, &request).await)
    }

    async fn page_trip_save(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_save(&service(cx), &path.0.id, &request).await)
    }

    async fn page_trip_history(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_history(&service(cx), &path.0.id, &request).await)
    }

    async fn page_trip_restore(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_history(&service(cx), &path.0.id, &request).await)
    }

    async fn page_trip_ics(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_file(&service(cx), &path.0.id, ExportFormat::Ics, &request).await)
    }

    async fn page_trip_gpx(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::trip_file(&service(cx), &path.0.id, ExportFormat::Gpx, &request).await)
    }

    async fn page_link(cx: Cx, path: PathParams<SecretPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::link(&service(cx), &path.0.secret, &request).await)
    }

    async fn page_link_ics(cx: Cx, path: PathParams<SecretPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::link_file(&service(cx), &path.0.secret, ExportFormat::Ics, &request).await)
    }

    async fn page_link_gpx(cx: Cx, path: PathParams<SecretPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        page(pages::link_file(&service(cx), &path.0.secret, ExportFormat::Gpx, &request).await)
    }

    async fn trip_picture_view(cx: Cx, path: PathParams<TripPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        handled(trips::picture(&service(cx), &request, &path.0.id).await)
    }

    async fn page_docs(cx: Cx, _: DescribedPath<DocsPath>, request: WebRequest) -> ApiResponse<Response<Body>> {
        handled(docs::view(&contexts::docs(cx), &request).await)
    }

    async fn page_llms(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        handled(docs::view(&contexts::docs(cx), &request).await)
    }

    async fn page_llms_full(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        handled(docs::view(&contexts::docs(cx), &request).await)
    }

    async fn page_data_submit(cx: Cx, request: WebRequest) -> ApiResponse<Response<Body>> {
        response(pages::data_download(&service(cx), &request).await)
    }
}
