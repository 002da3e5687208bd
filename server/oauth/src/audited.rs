//! Entries of the audit log about what travellers do on pages, and the notices by mail that go with them.

use itinerary_api::extract::WebRequest;
use itinerary_app::audit::{self, Actor, Event};
use itinerary_app::mails::{self, Notice};
use itinerary_platform::context::Service;
use uuid::Uuid;

/// Adds an entry about an account. `detail` says more, such as the name of a provider.
pub(crate) async fn audited(service: &Service, request: &WebRequest, account: Uuid, event: Event, detail: &str) {
    audit::record(service, event, Some(account), Actor::Traveller(request.address), detail).await;
}

/// Adds an entry about an app of an account.
pub(crate) async fn audited_app(service: &Service, request: &WebRequest, account: Uuid, event: Event, client: &str) {
    audit::record_client(service, event, account, Actor::Traveller(request.address), client).await;
}

/// Notes that a way to sign in, or a second factor, was added to an account, and tells its owner.
pub(crate) async fn method_added(service: &Service, request: &WebRequest, account: Uuid, name: &str) {
    audited(service, request, account, Event::SignInMethodAdded, name).await;
    mails::notify(service, account, Notice::MethodAdded { name }).await;
}

/// Notes that a way to sign in, or a second factor, was removed from an account or used up, and tells its owner.
pub(crate) async fn method_removed(service: &Service, request: &WebRequest, account: Uuid, name: &str) {
    audited(service, request, account, Event::SignInMethodRemoved, name).await;
    mails::notify(service, account, Notice::MethodRemoved { name }).await;
}
