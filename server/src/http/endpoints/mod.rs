//! The endpoint trait's implementation: a line an operation, each to its area's file.

mod account;
mod discovery;
mod health;
mod itineraries;
mod pages;
mod sign_in;

use dropshot::{Body, RequestContext};
use http::Response;
use itinerary_api::ItineraryApi;
use itinerary_api::error::ApiError;
use itinerary_api::extract::{
    ClientAddress, Conditions, Described, FormBody, JsonBody, JsonBytes, PathParams, QueryParams, WebRequest,
};
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::reply::{Empty, Reply};
use itinerary_api::scope::Caller;
use itinerary_api::types::oauth::{
    AuthorisationServerMetadata, AuthoriseQuery, ProtectedResourceMetadata, Registration, RegistrationRequest,
    RevocationRequest, TokenRequest, TokenResponse,
};
use itinerary_api::types::{
    Account, CreateQuery, Health, Itinerary, ItineraryCreate, ItineraryPatch, ItineraryPath, ItinerarySummary,
    ListQuery, Page,
};
use serde_json::{Map, Value};

use super::Door;

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
    ) -> ApiResult<Reply<Page<ItinerarySummary>>> {
        itineraries::list(&cx.context().service, &caller, query.0).await
    }

    async fn itinerary_create(
        cx: Cx,
        caller: Caller,
        query: QueryParams<CreateQuery>,
        conditions: Conditions,
        body: JsonBody<ItineraryCreate>,
    ) -> ApiResult<Reply<Itinerary, 201>> {
        itineraries::create(&cx.context().service, &caller, query.0, conditions, body.0).await
    }

    async fn itinerary_view(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Reply<Itinerary>> {
        itineraries::view(&cx.context().service, &caller, path.0.id, &conditions).await
    }

    async fn itinerary_update(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
        body: JsonBody<ItineraryPatch>,
    ) -> ApiResult<Reply<Itinerary>> {
        itineraries::update(&cx.context().service, &caller, path.0.id, conditions, body.0).await
    }

    async fn itinerary_delete(
        cx: Cx,
        caller: Caller,
        path: PathParams<ItineraryPath>,
        conditions: Conditions,
    ) -> ApiResult<Empty> {
        itineraries::delete(&cx.context().service, &caller, path.0.id, &conditions).await
    }

    async fn account_self(cx: Cx, caller: Caller) -> ApiResult<Reply<Account>> {
        account::view_self(&cx.context().service, &caller).await
    }

    async fn oauth_register(
        cx: Cx,
        address: ClientAddress,
        body: JsonBytes<RegistrationRequest>,
    ) -> OAuthResult<Reply<Registration, 201>> {
        sign_in::register(&cx.context().service, address.0, &body.bytes).await
    }

    async fn oauth_authorise(cx: Cx, _: Described<AuthoriseQuery>, request: WebRequest) -> OAuthResult<Response<Body>> {
        Ok(sign_in::authorise(&cx.context().service, &request).await)
    }

    async fn oauth_decision(cx: Cx, request: WebRequest) -> OAuthResult<Response<Body>> {
        Ok(sign_in::decide(&cx.context().service, &request).await)
    }

    async fn oauth_token(cx: Cx, form: FormBody<TokenRequest>) -> OAuthResult<Reply<TokenResponse>> {
        sign_in::token(&cx.context().service, cx.request.headers(), &form).await
    }

    async fn oauth_revoke(cx: Cx, form: FormBody<RevocationRequest>) -> OAuthResult<Reply<Map<String, Value>>> {
        sign_in::revoke(&cx.context().service, cx.request.headers(), &form).await
    }

    async fn discovery_authorisation_server(cx: Cx) -> ApiResult<Reply<AuthorisationServerMetadata>> {
        Ok(discovery::authorisation_server(&cx.context().service))
    }

    async fn discovery_protected_resource(cx: Cx) -> ApiResult<Reply<ProtectedResourceMetadata>> {
        Ok(discovery::protected_resource(&cx.context().service))
    }

    async fn discovery_protected_resource_mcp(cx: Cx) -> ApiResult<Reply<ProtectedResourceMetadata>> {
        Ok(discovery::protected_resource_mcp(&cx.context().service))
    }

    async fn openapi_document(cx: Cx) -> ApiResult<Reply<Map<String, Value>>> {
        Ok(discovery::document(&cx.context().service))
    }

    async fn health_live(_: Cx) -> ApiResult<Reply<Health>> {
        Ok(health::live())
    }

    async fn health_ready(cx: Cx) -> ApiResult<Reply<Health>> {
        health::ready(&cx.context().service).await
    }

    async fn page_home(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::home(&cx.context().service, &request).await)
    }

    async fn page_style(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::style(&cx.context().service, &request).await)
    }

    async fn page_icon(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::icon(&cx.context().service, &request).await)
    }

    async fn page_sign_up(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_up(&cx.context().service, &request).await)
    }

    async fn page_sign_up_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_up(&cx.context().service, &request).await)
    }

    async fn page_sign_in(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_in(&cx.context().service, &request).await)
    }

    async fn page_sign_in_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_in(&cx.context().service, &request).await)
    }

    async fn page_sign_out(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_out(&cx.context().service, &request).await)
    }

    async fn page_sign_out_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::sign_out(&cx.context().service, &request).await)
    }

    async fn page_account(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::account(&cx.context().service, &request).await)
    }

    async fn page_apps(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::apps(&cx.context().service, &request).await)
    }

    async fn page_apps_submit(cx: Cx, request: WebRequest) -> ApiResult<Response<Body>> {
        Ok(pages::apps(&cx.context().service, &request).await)
    }
}
