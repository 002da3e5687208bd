//! The command `block`.

use serde_json::json;

use super::share;
use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;
use crate::text;

pub(super) async fn run(service: &Service, output: Output, username: &str, undo: bool) -> Result<(), Failure> {
    let person = share::person(service, username).await?;
    if undo {
        service.client.block_clear(person.account_id).send().await?;
    } else {
        service.client.block_set(person.account_id).send().await?;
    }
    let id = person.account_id.to_string();
    let line = format!("{} @{}.", if undo { "Unblocked" } else { "Blocked" }, text::clean(&person.username));
    output.outcome(&json!({ "accountId": id, "blocked": !undo }), &id, &line)
}
