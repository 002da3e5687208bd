//! The commands `hotel add` and `hotel remove`.

use serde_json::{Value, json};

use super::{show, write};
use crate::arguments::{AddHotel, HotelCommand};
use crate::failure::Failure;
use crate::moment::Moment;
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

/// When hotels usually let guests in, and want them out.
const CHECK_IN_HOUR: i8 = 15;
const CHECK_OUT_HOUR: i8 = 11;

pub(super) async fn run(service: &Service, output: Output, command: HotelCommand) -> Result<(), Failure> {
    match command {
        HotelCommand::Add(arguments) => add(service, output, arguments).await,
        HotelCommand::Remove { trip: name, hotel } => {
            let trip = write::read(service, &name).await?;
            let hotels = trip.value.hotels.as_deref().unwrap_or_default();
            let hotel = trip::item(hotels, &hotel, "hotel", |hotel| &hotel.id, |hotel| &hotel.name)?;
            let changed = write::remove(service, &trip, "hotels", &hotel.id).await?;
            let line = format!("Removed the hotel “{}”.", text::clean(&hotel.name));
            write::print(output, &changed, &line, &show::hotels(&changed.value, output.width))
        }
    }
}

async fn add(service: &Service, output: Output, arguments: AddHotel) -> Result<(), Failure> {
    let AddHotel { trip: name, name: hotel, check_in, check_out, at, address, room, phone } = arguments;
    let trip = write::read(service, &name).await?;
    let zone = trip.value.destination.time_zone.as_deref();
    let place = write::body([
        ("coordinate", at.map(|(latitude, longitude)| json!({ "latitude": latitude, "longitude": longitude }))),
        // A place with an address needs a name.
        ("name", address.is_some().then(|| json!(hotel))),
        ("address", address.map(Value::from)),
    ]);
    let body = write::body([
        ("name", Some(json!(hotel))),
        ("checkInDate", time(check_in.as_ref(), zone, CHECK_IN_HOUR, "--check-in")?),
        ("checkOutDate", time(check_out.as_ref(), zone, CHECK_OUT_HOUR, "--check-out")?),
        ("place", Some(place).filter(|place| place != &json!({}))),
        ("roomNumber", room.map(Value::from)),
        ("phoneNumber", phone.map(Value::from)),
    ]);
    let changed = write::add(service, &trip, "hotels", &body).await?;
    let hotels = changed.value.hotels.as_deref().unwrap_or_default();
    let added = format!("hotels[{}]", hotels.len().saturating_sub(1));
    trip::warn(output, &changed.value, |field| field.starts_with(&added));
    let line = format!("Added the hotel “{}”.", text::clean(&hotel));
    write::print(output, &changed, &line, &show::hotels(&changed.value, output.width))
}

/// A time in the time zone of the destination.
fn time(time: Option<&Moment>, zone: Option<&str>, hour: i8, flag: &str) -> Result<Option<Value>, Failure> {
    write::time(time, zone, hour, || {
        format!(
            "{flag} is a local time, and the trip's destination has no time zone: add the offset, such as \
             2027-05-15T15:00+01:00"
        )
    })
}
