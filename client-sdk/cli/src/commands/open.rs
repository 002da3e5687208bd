//! The command `open`.

use std::env;

use serde_json::json;
use url::Url;

use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;
use crate::trip;

pub(super) async fn run(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    // Fails if the trip is not there, before a browser shows that.
    service.trip(id).await?;
    let address = service.address(id);
    if !output.json && !output.quiet && has_display() {
        open(&address);
    }
    output.outcome(&json!({ "id": id, "address": address }), &address, &address)
}

/// Opens the page. Its address is printed all the same, so that a failure needs no message.
fn open(address: &str) {
    if let Ok(url) = Url::parse(address) {
        let _ = itinerary_sdk::open_browser(&url);
    }
}

/// Whether a browser that this program starts would be in front of the person: not over ssh, and not without a display.
fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        return false;
    }
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
