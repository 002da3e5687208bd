//! The command `pack`: the packing list. Several items are one change, so that all of them are stored or none.

use itinerary_sdk::types::{Itinerary, PackingItem};
use reqwest::Method;
use serde_json::{Value, json};

use super::{show, write};
use crate::arguments::PackArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::service::{Answer, Service};
use crate::{json, text, trip};

pub(super) async fn run(service: &Service, output: Output, arguments: &PackArguments) -> Result<(), Failure> {
    let trip = write::read(service, &arguments.trip).await?;
    if arguments.items.is_empty() {
        return list(output, &trip);
    }
    let mut packing = items(&trip)?;
    let line = if arguments.done || arguments.undo || arguments.remove {
        change(&trip.value, &mut packing, arguments)?
    } else {
        packing.extend(arguments.items.iter().map(|name| {
            write::body([
                ("name", Some(json!(name))),
                ("quantity", arguments.quantity.map(Value::from)),
                ("category", arguments.category.clone().map(Value::from)),
            ])
        }));
        format!("Added {} to pack.", text::count(arguments.items.len(), "item"))
    };
    let path = format!("/v1/itineraries/{}", trip.value.id);
    let body = json!({ "packing": packing });
    let changed = write::send(service, &trip.etag, Method::PATCH, &path, &[], Some(&body)).await?;
    write::print(output, &changed, &line, &show::packing(&changed.value, output.width))
}

/// The items as the server sent them, so that fields that this program does not know are kept.
fn items(trip: &Answer<Itinerary>) -> Result<Vec<Value>, Failure> {
    let fields = json::fields(&trip.raw).unwrap_or_default();
    let packing = fields.into_iter().find(|(name, _)| name == "packing");
    Ok(packing
        .map(|(_, items)| serde_json::from_str(items.get()))
        .transpose()
        .map_err(std::io::Error::from)?
        .unwrap_or_default())
}

/// Marks or removes the items that the arguments name. Returns what was done.
fn change(trip: &Itinerary, packing: &mut Vec<Value>, arguments: &PackArguments) -> Result<String, Failure> {
    let known: &[PackingItem] = trip.packing.as_deref().unwrap_or_default();
    let mut ids = Vec::new();
    for name in &arguments.items {
        ids.push(trip::item(known, name, "item", |item| &item.id, |item| &item.name)?.id.as_str());
    }
    let is_named = |item: &Value| item["id"].as_str().is_some_and(|id| ids.contains(&id));
    if arguments.remove {
        packing.retain(|item| !is_named(item));
    } else {
        for item in packing.iter_mut().filter(|item| is_named(item)) {
            item["isPacked"] = json!(arguments.done);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    let items = text::count(ids.len(), "item");
    Ok(match arguments {
        PackArguments { remove: true, .. } => format!("Removed {items}."),
        PackArguments { done: true, .. } => format!("Marked {items} as packed."),
        _ => format!("Marked {items} as not packed."),
    })
}

fn list(output: Output, trip: &Answer<Itinerary>) -> Result<(), Failure> {
    let packing = trip.value.packing.as_deref().unwrap_or_default();
    if output.json {
        for item in items(trip)? {
            output.value(&item)?;
        }
        return Ok(());
    }
    if output.quiet {
        for item in packing {
            output.print(&format!("{}\n", text::clean(&item.id)))?;
        }
        return Ok(());
    }
    if packing.is_empty() {
        return output.say("Nothing to pack yet. Add something with `itinerary pack TRIP ITEM`.");
    }
    output.print(&show::packing(&trip.value, output.width))
}
