//! The endpoint trait's implementation: a line an operation, each to its area's file.

mod activities;
mod discovery;
mod documents;
mod explore;
mod health;
mod images;
mod itineraries;
mod marks;
mod members;
mod pages;
mod parts;
mod people;
mod sign_in;
mod wallet;

use dropshot::{Body, RequestContext};
use http::Response;
use itinerary_api::ItineraryApi;
use itinerary_api::error::ApiError;
use itinerary_api::extract::{
    BytesBody, ClientAddress, Conditions, Described, FormBody, JsonBody, JsonBytes, OptionalJsonBody, PathParams,
    QueryParams, UploadBody, WebRequest,
};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::reply::{Empty, Pass, Reply, RpcReply};
use itinerary_api::scope::Caller;
use itinerary_api::types::oauth::{
    AuthorisationServerMetadata, AuthoriseQuery, ProtectedResourceMetadata, Registration, RegistrationRequest,
    RevocationRequest, TokenRequest, TokenResponse,
};
use itinerary_api::types::{
    Account, AccountListQuery, AccountPatch, AccountPath, AccountQuery, CreateQuery, Day, DayPatch, DayPath,
    DocumentLink, DocumentPatch, DocumentPath, Expense, ExpensePatch, ExpensePath, ExploreQuery, Flight, FlightPatch,
    FlightPath, Health, Hotel, HotelPatch, HotelPath, ImagePath, ItemList, Itinerary, ItineraryCreate, ItineraryPatch,
    ItineraryPath, ListQuery, ListedDocument, ListedItinerary, Marks, Member, MemberChange, MemberPath, Optimisation,
    OptimiseRequest, PackingItem, PackingItemPatch, PackingPath, Page, PageQuery, PositionQuery, Profile, Report,
    ReportCreate, RpcMessage, SignedPath, Stop, StopMove, StopPatch, StopPath, UploadedDocument, WalletPass,
    WalletPassPath, WalletPassQuery,
};
use itinerary_core::content::Part;
use itinerary_core::edit::{self, Edit, ItemEdit};
use itinerary_store::Mark;
use serde_json::{Map, Value};

use super::Door;
use super::contexts::service;
use crate::app::itineraries::Work;
use crate::app::itineraries::covers::{Cover, Size};
use crate::app::people::Side;
use crate::mcp;

/// The implementation of the endpoint trait. It is never made.
pub enum Api {}

type Cx = RequestContext<Door>;
type ApiResult<T> = Result<T, ApiError>;
type OAuthResult<T> = Result<T, OAuthError>;

impl ItineraryApi for Api {
    type Context = Door;

    async fn itinerary_list(
        cx: Cx,
        caller: Caller,
        query: QueryParams<ListQuery>,
    ) -> ApiResult<Reply<Page<ListedItinerary>>> {
        itineraries::list(&service(cx), &caller, query.0).await
    }

    async fn itinerary_create(
        cx: Cx,
        caller: Caller,
        query: QueryParams<CreateQuery>,
        conditions: Conditions,
        body: JsonBody<ItineraryCreate>,
    ) -> ApiResult<Reply<Itinerary, 201>> {
        itineraries::create(&service(cx), &caller, query.0, conditions, body.0).await
    }

    async fn itinerary_view(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        itineraries::view(&service(cx), &caller, path.0.id, &conditions).await
    }

    async fn itinerary_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let edit = Edit::Itinerary(Box::new(body.0));
        itineraries::change(&service(cx), &caller, path.0.id, conditions, edit).await
    }

    async fn itinerary_delete(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Empty> {
        itineraries::delete(&service(cx), &caller, path.0.id, &conditions).await
    }

    async fn itinerary_places_refresh(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        itineraries::change(&service(cx), &caller, path.0.id, conditions, Work::RefreshPlaces).await
    }

    async fn itinerary_cover_image_set(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: BytesBody,
    ) -> ApiResult<Reply<Itinerary>> {
        let cover = Cover::read(body.bytes, body.is_json)?;
        let work = Work::Cover { cover, made: None };
        itineraries::change(&service(cx), &caller, path.0.id, conditions, work).await
    }

    async fn day_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<ItemList<Day>>> {
        parts::list(&service(cx), &caller, path.0.id, Part::Days, &conditions).await
    }

    async fn day_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Day>,
    ) -> ApiResult<Reply<Itinerary>> {
        let edit = Edit::Day(ItemEdit::Add { item: body.0, position: query.0.position.map(edit::index) });
        itineraries::change(&service(cx), &caller, path.0.id, conditions, edit).await
    }

    async fn day_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: JsonBody<DayPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::Day(ItemEdit::Update { id: day_id, patch: body.0 });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn day_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::Day(ItemEdit::Remove { id: day_id });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn stop_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        query: QueryParams<PositionQuery>,
        conditions: Conditions,
        body: JsonBody<Stop>,
    ) -> ApiResult<Reply<Itinerary>> {
        let DayPath { id, day_id } = path.0;
        let edit = Edit::Stop(day_id, ItemEdit::Add { item: body.0, position: query.0.position.map(edit::index) });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn stop_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let edit = Edit::Stop(day_id, ItemEdit::Update { id: stop_id, patch: body.0 });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn stop_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let edit = Edit::Stop(day_id, ItemEdit::Remove { id: stop_id });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn stop_move(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
        conditions: Conditions,
        body: JsonBody<StopMove>,
    ) -> ApiResult<Reply<Itinerary>> {
        let StopPath { id, day_id, stop_id } = path.0;
        let edit = Edit::StopMove { day: day_id, stop: stop_id, to: body.0 };
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn stop_activity_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<StopPath>,
    ) -> ApiResult<Reply<ItemList<Stop>>> {
        activities::list(&service(cx), &caller, &path.0).await
    }

    async fn day_optimise(
        cx: Cx,
        caller: Caller,
        path: PathParams<DayPath>,
        conditions: Conditions,
        body: OptionalJsonBody<OptimiseRequest>,
    ) -> ApiResult<Reply<Optimisation>> {
        let DayPath { id, day_id } = path.0;
        let work = Work::Optimise { day: day_id, request: body.0 };
        itineraries::change(&service(cx), &caller, id, conditions, work).await
    }

    async fn flight_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<ItemList<Flight>>> {
        parts::list(&service(cx), &caller, path.0.id, Part::Flights, &conditions).await
    }

    async fn flight_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Flight>,
    ) -> ApiResult<Reply<Itinerary>> {
        let edit = Edit::Flight(ItemEdit::Add { item: body.0, position: None });
        itineraries::change(&service(cx), &caller, path.0.id, conditions, edit).await
    }

    async fn flight_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
        body: JsonBody<FlightPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let FlightPath { id, flight_id } = path.0;
        let edit = Edit::Flight(ItemEdit::Update { id: flight_id, patch: body.0 });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn flight_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<FlightPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        let FlightPath { id, flight_id } = path.0;
        let edit = Edit::Flight(ItemEdit::Remove { id: flight_id });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn hotel_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<ItemList<Hotel>>> {
        parts::list(&service(cx), &caller, path.0.id, Part::Hotels, &conditions).await
    }

    async fn hotel_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Hotel>,
    ) -> ApiResult<Reply<Itinerary>> {
        let edit = Edit::Hotel(ItemEdit::Add { item: body.0, position: None });
        itineraries::change(&service(cx), &caller, path.0.id, conditions, edit).await
    }

    async fn hotel_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
        body: JsonBody<HotelPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let HotelPath { id, hotel_id } = path.0;
        let edit = Edit::Hotel(ItemEdit::Update { id: hotel_id, patch: body.0 });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn hotel_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<HotelPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        let HotelPath { id, hotel_id } = path.0;
        let edit = Edit::Hotel(ItemEdit::Remove { id: hotel_id });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn expense_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<ItemList<Expense>>> {
        parts::list(&service(cx), &caller, path.0.id, Part::Expenses, &conditions).await
    }

    async fn expense_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<Expense>,
    ) -> ApiResult<Reply<Itinerary>> {
        let edit = Edit::Expense(ItemEdit::Add { item: body.0, position: None });
        itineraries::change(&service(cx), &caller, path.0.id, conditions, edit).await
    }

    async fn expense_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
        body: JsonBody<ExpensePatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let ExpensePath { id, expense_id } = path.0;
        let edit = Edit::Expense(ItemEdit::Update { id: expense_id, patch: body.0 });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn expense_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<ExpensePath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        let ExpensePath { id, expense_id } = path.0;
        let edit = Edit::Expense(ItemEdit::Remove { id: expense_id });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn packing_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<ItemList<PackingItem>>> {
        parts::list(&service(cx), &caller, path.0.id, Part::Packing, &conditions).await
    }

    async fn packing_add(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<PackingItem>,
    ) -> ApiResult<Reply<Itinerary>> {
        let edit = Edit::Packing(ItemEdit::Add { item: body.0, position: None });
        itineraries::change(&service(cx), &caller, path.0.id, conditions, edit).await
    }

    async fn packing_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
        body: JsonBody<PackingItemPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        let PackingPath { id, packing_id } = path.0;
        let edit = Edit::Packing(ItemEdit::Update { id: packing_id, patch: body.0 });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn packing_remove(
        cx: Cx,
        caller: Caller,
        path: PathParams<PackingPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        let PackingPath { id, packing_id } = path.0;
        let edit = Edit::Packing(ItemEdit::Remove { id: packing_id });
        itineraries::change(&service(cx), &caller, id, conditions, edit).await
    }

    async fn document_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<ItemList<ListedDocument>>> {
        documents::list(&service(cx), &caller, path.0.id, &conditions).await
    }

    async fn document_upload(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: UploadBody,
    ) -> ApiResult<Reply<UploadedDocument, 201>> {
        documents::upload(&service(cx), &caller, path.0.id, conditions, body).await
    }

    async fn document_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
        body: JsonBody<DocumentPatch>,
    ) -> ApiResult<Reply<ListedDocument>> {
        documents::update(&service(cx), &caller, path.0, conditions, body.0).await
    }

    async fn document_delete(
        cx: Cx,
        caller: Caller,
        path: PathParams<DocumentPath>,
        conditions: Conditions,
    ) -> ApiResult<Empty> {
        documents::delete(&service(cx), &caller, path.0, &conditions).await
    }

    async fn document_link(cx: Cx, caller: Caller, path: PathParams<DocumentPath>) -> ApiResult<Reply<DocumentLink>> {
        documents::link(&service(cx), &caller, path.0).await
    }

    async fn wallet_pass_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResult<Reply<ItemList<WalletPass>>> {
        wallet::list(&service(cx), &caller, path.0.id).await
    }

    async fn wallet_pass_view(
        cx: Cx,
        caller: Caller,
        path: PathParams<WalletPassPath>,
        query: QueryParams<WalletPassQuery>,
    ) -> ApiResult<Pass> {
        wallet::view(&service(cx), &caller, path.0, query.0).await
    }

    async fn member_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
    ) -> ApiResult<Reply<ItemList<Member>>> {
        members::list(&service(cx), &caller, path.0.id).await
    }

    async fn member_set(
        cx: Cx,
        caller: Caller,
        path: PathParams<MemberPath>,
        body: JsonBody<MemberChange>,
    ) -> ApiResult<Reply<Member>> {
        let MemberPath { id, account_id } = path.0;
        members::set(&service(cx), &caller, id, account_id, body.0).await
    }

    async fn member_remove(cx: Cx, caller: Caller, path: PathParams<MemberPath>) -> ApiResult<Empty> {
        let MemberPath { id, account_id } = path.0;
        members::remove(&service(cx), &caller, id, account_id).await
    }

    async fn marks_view(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResult<Reply<Marks>> {
        marks::view(&service(cx), &caller, path.0.id).await
    }

    async fn like_set(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResult<Reply<Marks>> {
        marks::set(&service(cx), &caller, path.0.id, Mark::Like).await
    }

    async fn like_clear(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResult<Reply<Marks>> {
        marks::clear(&service(cx), &caller, path.0.id, Mark::Like).await
    }

    async fn dislike_set(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResult<Reply<Marks>> {
        marks::set(&service(cx), &caller, path.0.id, Mark::Dislike).await
    }

    async fn dislike_clear(cx: Cx, caller: Caller, path: PathParams<ItineraryPath>) -> ApiResult<Reply<Marks>> {
        marks::clear(&service(cx), &caller, path.0.id, Mark::Dislike).await
    }

    async fn itinerary_save(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary, 201>> {
        marks::save(&service(cx), &caller, path.0.id, conditions).await
    }

    async fn report_create(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ReportCreate>,
    ) -> ApiResult<Reply<Report, 201>> {
        marks::report(&service(cx), &caller, path.0.id, conditions, body.0).await
    }

    async fn explore_list(
        cx: Cx,
        caller: Caller,
        query: QueryParams<ExploreQuery>,
    ) -> ApiResult<Reply<Page<ListedItinerary>>> {
        explore::list(&service(cx), &caller, query.0).await
    }

    async fn account_self(cx: Cx, caller: Caller) -> ApiResult<Reply<Account>> {
        people::own(&service(cx), &caller).await
    }

    async fn account_self_update(cx: Cx, caller: Caller, body: JsonBody<AccountPatch>) -> ApiResult<Reply<Account>> {
        people::change_own(&service(cx), &caller, body.0).await
    }

    async fn account_find(cx: Cx, caller: Caller, query: QueryParams<AccountQuery>) -> ApiResult<Reply<Profile>> {
        people::find(&service(cx), &caller, &query.0.username).await
    }

    async fn account_view(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResult<Reply<Profile>> {
        people::view(&service(cx), &caller, path.0.account_id).await
    }

    async fn account_itinerary_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<AccountListQuery>,
    ) -> ApiResult<Reply<Page<ListedItinerary>>> {
        people::itineraries(&service(cx), &caller, path.0.account_id, query.0).await
    }

    async fn follow_set(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResult<Empty> {
        people::follow(&service(cx), &caller, path.0.account_id).await
    }

    async fn follow_clear(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResult<Empty> {
        people::unfollow(&service(cx), &caller, path.0.account_id).await
    }

    async fn follower_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResult<Reply<Page<Profile>>> {
        people::list(&service(cx), &caller, path.0.account_id, Side::Followers, query.0).await
    }

    async fn following_list(
        cx: Cx,
        caller: Caller,
        path: PathParams<AccountPath>,
        query: QueryParams<PageQuery>,
    ) -> ApiResult<Reply<Page<Profile>>> {
        people::list(&service(cx), &caller, path.0.account_id, Side::Following, query.0).await
    }

    async fn follower_remove(cx: Cx, caller: Caller, path: PathParams<AccountPath>) -> ApiResult<Empty> {
        people::remove_follower(&service(cx), &caller, path.0.account_id).await
    }

    async fn oauth_register(
        cx: Cx,
        address: ClientAddress,
        body: JsonBytes<RegistrationRequest>,
    ) -> OAuthResult<Reply<Registration, 201>> {
        sign_in::register(&service(cx), address.0, &body.bytes).await
    }

    async fn oauth_authorise(cx: Cx, _: Described<AuthoriseQuery>, request: WebRequest) -> OAuthResult<Response<Body>> {
        Ok(sign_in::authorise(&service(cx), &request).await)
    }

    async fn oauth_decision(cx: Cx, request: WebRequest) -> OAuthResult<Response<Body>> {
        Ok(sign_in::decide(&service(cx), &request).await)
    }

    async fn oauth_token(cx: Cx, form: FormBody<TokenRequest>) -> OAuthResult<Reply<TokenResponse>> {
        let headers = cx.request.headers().clone();
        sign_in::token(&service(cx), &headers, &form).await
    }

    async fn oauth_revoke(cx: Cx, form: FormBody<RevocationRequest>) -> OAuthResult<Reply<Map<String, Value>>> {
        let headers = cx.request.headers().clone();
        sign_in::revoke(&service(cx), &headers, &form).await
    }

    async fn discovery_authorisation_server(cx: Cx) -> ApiResult<Reply<AuthorisationServerMetadata>> {
        Ok(discovery::authorisation_server(&service(cx)))
    }

    async fn discovery_protected_resource(cx: Cx) -> ApiResult<Reply<ProtectedResourceMetadata>> {
        Ok(discovery::protected_resource(&service(cx)))
    }

    async fn discovery_protected_resource_mcp(cx: Cx) -> ApiResult<Reply<ProtectedResourceMetadata>> {
        Ok(discovery::protected_resource_mcp(&service(cx)))
    }

    async fn openapi_document(cx: Cx) -> ApiResult<Reply<Map<String, Value>>> {
        Ok(discovery::document(&service(cx)))
    }

    async fn health_live(cx: Cx) -> ApiResult<Reply<Health>> {
        drop(service(cx));
        Ok(health::live())
    }

    async fn health_ready(cx: Cx) -> ApiResult<Reply<Health>> {
        health::ready(&service(cx)).await
    }

    async fn document_file_view(
        cx: Cx,
        path: PathParams<SignedPath>,
        request: WebRequest,
    ) -> ApiResult<Response<Body>> {
        documents::file(&service(cx), &path.0.signed, &request.headers).await
    }

    async fn image_view(cx: Cx, path: PathParams<ImagePath>) -> ApiResult<Response<Body>> {
        images::view(&service(cx), &path.0.id, Size::Large).await
    }

    async fn image_small_view(cx: Cx, path: PathParams<ImagePath>) -> ApiResult<Response<Body>> {
        images::view(&service(cx), &path.0.id, Size::Small).await
    }

    async fn mcp(cx: Cx, caller: Caller, body: JsonBytes<RpcMessage>) -> ApiResult<RpcReply> {
        mcp::answer(cx, caller, &body.bytes).await.map(RpcReply)
    }

    async fn page_home(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::home(&service(cx), &request).await)
    }

    async fn page_style(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::style(&service(cx), &request).await)
    }

    async fn page_icon(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::icon(&service(cx), &request).await)
    }

    async fn page_sign_up(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_up(&service(cx), &request).await)
    }

    async fn page_sign_up_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_up(&service(cx), &request).await)
    }

    async fn page_sign_in(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_in(&service(cx), &request).await)
    }

    async fn page_sign_in_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_in(&service(cx), &request).await)
    }

    async fn page_sign_out(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_out(&service(cx), &request).await)
    }

    async fn page_sign_out_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_out(&service(cx), &request).await)
    }

    async fn page_account(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::account(&service(cx), &request).await)
    }

    async fn page_apps(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::apps(&service(cx), &request).await)
    }

    async fn page_apps_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::apps(&service(cx), &request).await)
    }

    async fn page_password(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::password(&service(cx), &request).await)
    }

    async fn page_password_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::password(&service(cx), &request).await)
    }

    async fn page_data(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::data(&service(cx), &request).await)
    }

    async fn page_data_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::data_download(&service(cx), &request).await)
    }

    async fn page_delete(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::delete(&service(cx), &request).await)
    }

    async fn page_delete_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::delete(&service(cx), &request).await)
    }
}
