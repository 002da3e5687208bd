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

/// Adds an entry about a way to sign in, or a second factor, that was added, and tells the account's owner by mail.
pub(crate) async fn method_added(service: &Service, request: &WebRequest, account: Uuid, name: &str) {
    audited(service, request, account, Event::SignInMethodAdded, name).await;
    mails::notify(service, account, Notice::MethodAdded { name }).await;
}

/// The same for one that was removed or used up.
pub(crate) async fn method_removed(service: &Service, request: &WebRequest, account: Uuid, name: &str) {
    audited(service, request, account, Event::SignInMethodRemoved, name).await;
    mails::notify(service, account, Notice::MethodRemoved { name }).await;
}
