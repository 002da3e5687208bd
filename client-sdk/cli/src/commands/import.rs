//! The command `import`: bookings from files become a trip, or fill one.

mod files;
mod table;

use itinerary_sdk::types::{Coordinate, Destination, ImportResult, Itinerary, ItineraryDraft};
use itinerary_sdk::{ImportOptions, code};
use reqwest::Method;
use uuid::Uuid;

use super::create;
use crate::arguments::ImportArguments;
use crate::destination::{self, Located};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::prompt::{ask, can_ask, confirm};
use crate::service::{Answer, Service};
use crate::{text, trip};

use self::files::Files;
use self::table::Found;

pub(super) async fn run(service: &Service, output: Output, arguments: &ImportArguments) -> Result<(), Failure> {
    let Files { files, too_large } = files::read(&arguments.files).await?;
    let id = match &arguments.into {
        Some(name) => Some(trip::find(service, name).await?),
        None => None,
    };
    let options = ImportOptions { itinerary: id, as_of: arguments.as_of, overwrite: arguments.overwrite };
    let mut found = service.client.import_read(files, options).await?;
    found.ignored.splice(..0, too_large);
    let target = match id {
        Some(id) => Some(service.trip(id).await?),
        None => None,
    };
    if !(output.json && arguments.yes) {
        show(output, &found, target.as_ref(), arguments.overwrite)?;
    }
    if found.itinerary == ItineraryDraft::default() {
        return nothing_new(output, &found, target.as_ref(), arguments.yes);
    }
    if arguments.dry_run {
        return Ok(());
    }
    let draft = match &target {
        None => with_destination(service, output, arguments, found.itinerary).await?,
        Some(_) => found.itinerary,
    };
    if !arguments.yes && !is_wanted(output, target.as_ref()).await? {
        return output.say("Nothing was written.");
    }
    match target {
        None => create(service, output, arguments, draft).await,
        Some(target) => update(service, output, target.value.id, found.etag.unwrap_or(target.etag), draft).await,
    }
}

/// Prints what was found: the API's JSON with `--json`, nothing with `--quiet`.
fn show(
    output: Output,
    found: &ImportResult,
    target: Option<&Answer<Itinerary>>,
    overwrite: bool,
) -> Result<(), Failure> {
    if output.json {
        return output.value(found);
    }
    if output.quiet {
        return Ok(());
    }
    // In another version, items may have other indexes.
    let same = target.filter(|target| Some(&target.etag) == found.etag.as_ref()).map(|target| &target.value);
    let found = Found { result: found, target: same, is_new: target.is_none(), overwrite };
    output.print(&found.render(output.width))
}

/// Ends an import that writes nothing.
fn nothing_new(
    output: Output,
    found: &ImportResult,
    target: Option<&Answer<Itinerary>>,
    yes: bool,
) -> Result<(), Failure> {
    match target {
        Some(target) if output.json && yes => output.raw(&target.raw),
        Some(target) if output.quiet => output.print(&format!("{}\n", target.value.id)),
        Some(target) if !found.items.is_empty() => {
            let is_same = found.items.iter().all(|item| item.changes.is_empty());
            let state = if is_same { "has all of this already" } else { "keeps its values" };
            output.say(&format!("“{}” {state}: nothing was written.", text::clean(&target.value.title)))
        }
        None if output.json && yes => output.value(found),
        _ => output.say("There is nothing to import: nothing was written."),
    }
}

/// Asks before writing. With `--json`, nobody is asked, because standard output is for a program.
async fn is_wanted(output: Output, target: Option<&Answer<Itinerary>>) -> Result<bool, Failure> {
    if output.json || !can_ask() {
        let verb = if target.is_some() { "update" } else { "create" };
        return Err(Failure::usage(format!("nothing was written: pass --yes to {verb} the trip without asking")));
    }
    match target {
        Some(target) => confirm(&format!("Update “{}”?", target.value.title), false).await,
        None => confirm("Create this trip?", false).await,
    }
}

/// The draft with the destination of the arguments or, if neither they nor the files say one, of the person.
async fn with_destination(
    service: &Service,
    output: Output,
    arguments: &ImportArguments,
    mut draft: ItineraryDraft,
) -> Result<ItineraryDraft, Failure> {
    let name = match &arguments.destination {
        Some(name) => name.clone(),
        None if draft.destination.is_some() => return Ok(draft),
        None if output.json || !can_ask() => {
            return Err(Failure::usage("no file says where the trip goes: pass --destination NAME"));
        }
        None => ask("Where does the trip go?").await?,
    };
    if name.is_empty() {
        return Err(Failure::usage("a trip needs a destination: pass --destination NAME"));
    }
    let Located { name, latitude, longitude } = match arguments.at {
        Some((latitude, longitude)) => Located { name, latitude, longitude },
        None => destination::locate(service, output, &name).await?,
    };
    draft.destination = Some(Destination {
        name,
        coordinate: Coordinate { latitude, longitude },
        address: None,
        code: None,
        country_code: None,
        place_id: None,
        time_zone: None,
    });
    Ok(draft)
}

async fn create(
    service: &Service,
    output: Output,
    arguments: &ImportArguments,
    draft: ItineraryDraft,
) -> Result<(), Failure> {
    let body = json(&draft.into_create()?)?;
    let created = create::send(service, body, false, arguments.allow_duplicate).await.map_err(|failure| {
        let is_duplicate = failure.code.as_deref() == Some(code::DUPLICATE_ITINERARY);
        if is_duplicate { failure.and("to import into that trip, pass --into") } else { failure }
    })?;
    service.profile.set_last(created.value.id);
    trip::warn(output, &created.value, |_| true);
    create::print(output, &created)
}

/// Writes the version that the files were compared with. The server merges what others have changed since.
async fn update(
    service: &Service,
    output: Output,
    id: Uuid,
    etag: String,
    draft: ItineraryDraft,
) -> Result<(), Failure> {
    let request = service
        .request(Method::PATCH, &format!("/v1/itineraries/{id}"), &[])
        .header("content-type", "application/merge-patch+json")
        .header("if-match", etag)
        .header("prefer", "merge")
        .body(json(&draft.into_update()?)?);
    let updated = service.send::<Itinerary>(request).await?;
    trip::warn(output, &updated.value, |_| true);
    let others = if updated.is_merged { ", together with what others have changed meanwhile" } else { "" };
    let line = format!("Updated “{}”{others}: {id}", text::clean(&updated.value.title));
    output.answer(&updated.raw, &id.to_string(), &line)
}

fn json(body: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(body).map_err(|error| Failure::new(Exit::Failure, error.to_string()))
}
