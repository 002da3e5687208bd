//! The resources, field by field, as in the contract.

use super::values::{
    address, airline_code, airport_code, amount, any_text, attention_code, belongs_to_kind, cabin_class,
    confirmation_number, count, country_code, currency, date, document_category, duration, expense_category, file_size,
    flag, item_id, label, latitude, leg_mode, local_time, longitude, measure, name, notes, offset_time,
    packing_category, place_id, plan, quantity, rating, review_count, role, scopes, stop_category, summary, tags,
    time_zone, timestamp, title, transport_mode, travellers, uuid, visibility, web_url,
};
use crate::shape::{Field, defaulted, identity, list, object, optional, required, required_object, sparse_list};

pub(crate) static COORDINATE: &[Field] = &[required("latitude", latitude), required("longitude", longitude)];

pub(crate) static PLACE: &[Field] = &[
    optional("name", name),
    optional("address", address),
    object("coordinate", COORDINATE),
    optional("placeId", place_id),
    optional("countryCode", country_code),
    optional("timeZone", time_zone),
    optional("code", airport_code),
];

pub(crate) static DESTINATION: &[Field] = &[
    required("name", name),
    optional("address", address),
    required_object("coordinate", COORDINATE),
    optional("placeId", place_id),
    optional("countryCode", country_code),
    optional("timeZone", time_zone),
    optional("code", airport_code),
];

pub(crate) static IMAGE: &[Field] = &[required("url", web_url), optional("source", label)];

pub(crate) static ACTIVITY: &[Field] = &[
    required("provider", label),
    optional("productCode", label),
    optional("rating", rating),
    optional("reviewCount", review_count),
    optional("bookingUrl", web_url),
    optional("lastCheckedAt", offset_time),
];

pub(crate) static STOP: &[Field] = &[
    identity(item_id),
    required("name", name),
    optional("category", stop_category),
    object("place", PLACE),
    optional("startTime", local_time),
    defaulted("startTimeSuggested", flag, "false"),
    optional("durationMinutes", duration),
    optional("phoneNumber", label),
    object("activity", ACTIVITY),
];

pub(crate) static LEG: &[Field] = &[
    required("from", item_id),
    required("to", item_id),
    required("mode", leg_mode),
    optional("minutes", measure),
    optional("metres", measure),
    optional("source", label),
];

pub(crate) static DAY: &[Field] = &[
    identity(item_id),
    optional("title", name),
    optional("notes", notes),
    object("image", IMAGE),
    list("stops", STOP, 4),
    list("legs", LEG, 3),
];

pub(crate) static AIRLINE: &[Field] = &[optional("code", airline_code), optional("name", name)];

pub(crate) static FLIGHT: &[Field] = &[
    identity(item_id),
    object("flightAirline", AIRLINE),
    optional("flightNumber", label),
    object("departureAirport", PLACE),
    object("arrivalAirport", PLACE),
    optional("departureDate", offset_time),
    optional("arrivalDate", offset_time),
    optional("cabinClass", cabin_class),
    optional("seatNumber", label),
    optional("gateNumber", label),
    optional("departureTerminal", label),
    optional("arrivalTerminal", label),
    optional("phoneNumber", label),
    optional("departureDay", date),
    optional("confirmationNumber", confirmation_number),
    optional("provider", label),
    optional("bookingUrl", web_url),
    optional("notes", notes),
];

pub(crate) static HOTEL: &[Field] = &[
    identity(item_id),
    required("name", name),
    object("place", PLACE),
    optional("checkInDate", offset_time),
    optional("checkOutDate", offset_time),
    optional("roomNumber", label),
    optional("phoneNumber", label),
    optional("confirmationNumber", confirmation_number),
    optional("provider", label),
    optional("bookingUrl", web_url),
    optional("notes", notes),
];

pub(crate) static TRANSPORT: &[Field] = &[
    identity(item_id),
    optional("mode", transport_mode),
    object("operator", AIRLINE),
    optional("number", label),
    object("departurePlace", PLACE),
    object("arrivalPlace", PLACE),
    optional("departureDate", offset_time),
    optional("arrivalDate", offset_time),
    optional("departureDay", date),
    optional("travelClass", label),
    optional("departurePlatform", label),
    optional("arrivalPlatform", label),
    optional("phoneNumber", label),
    optional("confirmationNumber", confirmation_number),
    optional("provider", label),
    optional("bookingUrl", web_url),
    optional("notes", notes),
];

pub(crate) static RESERVATION: &[Field] = &[
    identity(item_id),
    required("name", name),
    optional("category", stop_category),
    object("place", PLACE),
    optional("startDate", offset_time),
    optional("endDate", offset_time),
    optional("startDay", date),
    optional("endDay", date),
    optional("partySize", quantity),
    optional("phoneNumber", label),
    optional("confirmationNumber", confirmation_number),
    optional("provider", label),
    optional("bookingUrl", web_url),
    optional("notes", notes),
];

pub(crate) static COST: &[Field] = &[required("amount", amount), optional("currency", currency)];

pub(crate) static BELONGS_TO: &[Field] = &[required("kind", belongs_to_kind), required("id", item_id)];

pub(crate) static EXPENSE: &[Field] = &[
    identity(item_id),
    required("name", name),
    required_object("cost", COST),
    optional("category", expense_category),
    optional("date", date),
    object("belongsTo", BELONGS_TO),
];

pub(crate) static PACKING: &[Field] = &[
    identity(item_id),
    required("name", name),
    optional("category", packing_category),
    defaulted("quantity", quantity, "1"),
    defaulted("isPacked", flag, "false"),
    object("belongsTo", BELONGS_TO),
];

pub(crate) static FILE: &[Field] = &[required("path", any_text), required("name", name), required("size", file_size)];

pub(crate) static DOCUMENT: &[Field] = &[
    required("id", item_id),
    required("name", name),
    optional("category", document_category),
    required_object("file", FILE),
    object("belongsTo", BELONGS_TO),
];

/// The fields of a document that can be changed.
pub(crate) static DOCUMENT_DETAILS: &[Field] = &[
    identity(item_id),
    required("name", name),
    optional("category", document_category),
    object("belongsTo", BELONGS_TO),
];

/// The fields of an itinerary that can be sent: all but documents.
pub(crate) static CONTENT: &[Field] = &[
    required("title", title),
    optional("summary", summary),
    required_object("destination", DESTINATION),
    object("origin", PLACE),
    required("startDate", date),
    required("travellers", travellers),
    defaulted("tags", tags, "[]"),
    object("coverImage", IMAGE),
    optional("currency", currency),
    list("days", DAY, 3),
    list("flights", FLIGHT, 2),
    list("hotels", HOTEL, 2),
    sparse_list("transports", TRANSPORT, 2),
    sparse_list("reservations", RESERVATION, 2),
    list("expenses", EXPENSE, 3),
    list("packing", PACKING, 3),
];

/// The part with the documents.
pub(crate) static DOCUMENTS: &[Field] = &[list("documents", DOCUMENT, 2)];

/// The fields of a new itinerary. Only the destination is required.
pub(crate) static CREATE: &[Field] = &[
    optional("title", title),
    optional("summary", summary),
    required_object("destination", DESTINATION),
    object("origin", PLACE),
    optional("startDate", date),
    optional("travellers", travellers),
    optional("tags", tags),
    object("coverImage", IMAGE),
    optional("currency", currency),
    list("days", DAY, 3),
    list("flights", FLIGHT, 2),
    list("hotels", HOTEL, 2),
    sparse_list("transports", TRANSPORT, 2),
    sparse_list("reservations", RESERVATION, 2),
    list("expenses", EXPENSE, 3),
    list("packing", PACKING, 3),
];

pub(crate) static SAVED_FROM: &[Field] = &[
    optional("itineraryId", uuid),
    optional("author", any_text),
    optional("authorDisplayName", any_text),
    optional("authorIsPro", flag),
];

pub(crate) static AUTHOR: &[Field] = &[
    required("accountId", uuid),
    required("username", any_text),
    required("displayName", any_text),
    optional("imageUrl", any_text),
    required("isPro", flag),
];

pub(crate) static SUMMARY_AUTHOR: &[Field] = &[
    required("accountId", uuid),
    required("username", any_text),
    required("displayName", any_text),
    optional("imageUrl", any_text),
];

pub(crate) static ATTENTION: &[Field] =
    &[required("field", any_text), required("code", attention_code), required("message", any_text)];

pub(crate) static ACCOUNT: &[Field] = &[
    required("accountId", uuid),
    required("username", any_text),
    required("displayName", any_text),
    optional("imageUrl", any_text),
    required("isPro", flag),
    required("plan", plan),
    object("homePlace", PLACE),
    required("scopes", scopes),
    required("createdAt", timestamp),
];

pub(crate) static ENTRY: &[Field] = &[
    required("id", uuid),
    required("title", title),
    required_object("destination", DESTINATION),
    optional("summary", summary),
    optional("coverImageUrl", any_text),
    required("startDate", date),
    required("tags", tags),
    required("visibility", visibility),
    required("role", role),
    required("daysCount", count),
    required("stopsCount", count),
    required_object("author", SUMMARY_AUTHOR),
    required("updatedAt", timestamp),
    required("etag", any_text),
    required("likesCount", count),
    optional("publishedAt", timestamp),
];
