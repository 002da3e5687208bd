//! The wire types: resources, paths and queries.

mod account;
mod change;
mod day;
mod document;
mod expense;
mod explore;
mod export;
mod flight;
mod hotel;
mod import;
mod itinerary;
mod link;
mod marks;
mod member;
pub mod oauth;
mod packing;
mod page;
mod part;
mod place;
mod provider;
mod reservation;
mod revision;
mod rpc;
mod stop;
mod ticket;
mod transport;
mod wallet;
mod webhook;

pub use account::{Account, AccountPatch, AccountPath, AccountQuery, Author, Profile};
pub use change::{Change, ChangePage, ChangeQuery, ChangeType};
pub use day::{Day, DayPatch, Leg, LegMode, Optimisation, OptimiseRequest};
pub use document::{
    BelongsTo, BelongsToKind, BelongsToPatch, Document, DocumentCategory, DocumentDetails, DocumentFile, DocumentLink,
    DocumentPatch, DocumentPath, ListedDocument, SignedPath, UploadedDocument,
};
pub use expense::{Cost, CostPatch, Expense, ExpenseCategory, ExpensePatch, ExpensePath};
pub use explore::{ExploreFilter, ExploreQuery};
pub use export::{CalendarPath, ExportFormat, ExportQuery};
pub use flight::{Airline, AirlinePatch, CabinClass, Flight, FlightPatch, FlightPath};
pub use hotel::{Hotel, HotelPatch, HotelPath};
pub use import::{
    ImportIgnored, ImportIgnoredCode, ImportQuery, ImportResult, ImportState, ImportedChange, ImportedItem,
    ItineraryDraft,
};
pub use itinerary::{
    Attention, AttentionCode, Days, Documents, Expenses, Flights, Hotels, Itinerary, ItineraryCreate, ItineraryPatch,
    ItineraryShift, ListedItinerary, Packing, Reservations, SavedFrom, ShiftDays, Summary, SummaryAuthor, Tags, Title,
    Transports, Travellers,
};
pub use itinerary_model::{ListFilter, MemberRole, Plan, Role, Visibility};
pub use link::{Link, LinkCreate, LinkLabel, LinkPath, LinkSections, SecretPath};
pub use marks::{Marks, Report, ReportCreate, ReportReason};
pub use member::{Invitation, Member, MemberChange, MemberPath, MemberStatus};
pub use packing::{PackingCategory, PackingItem, PackingItemPatch, PackingPath};
pub use page::{AccountListQuery, CreateQuery, DocsPath, Health, ItineraryPath, ListQuery, Page, PageLimit, PageQuery};
pub use part::{DayMove, DayPath, ItemList, Position, PositionQuery, StopMove, StopPath};
pub use place::{
    Coordinate, CoordinatePatch, CoverImageQuery, Destination, DestinationPatch, Image, ImagePatch, ImagePath, Place,
    PlacePatch, TripPath,
};
pub use provider::ProviderPath;
pub use reservation::{PartySize, Reservation, ReservationPatch, ReservationPath};
pub use revision::{ChangeKind, Revision, RevisionChange, RevisionPath};
pub use rpc::RpcMessage;
pub use stop::{Activity, ActivityPatch, Stop, StopCategory, StopPatch, StopSuggestion};
pub use ticket::{
    ConfirmationNumber, Notes, Ticket, TicketCode, TicketCodeFormat, TicketCodePatch, TicketPatch, Tickets,
};
pub use transport::{Operator, OperatorPatch, Transport, TransportMode, TransportPatch, TransportPath};
pub use wallet::{
    TicketIndex, WalletLink, WalletPass, WalletPassFormat, WalletPassKind, WalletPassPath, WalletPassQuery,
};
pub use webhook::{
    DeliveryPath, DeliveryStatus, DisabledReason, TEST_EVENT, Webhook, WebhookCreate, WebhookDelivery, WebhookEvent,
    WebhookEventData, WebhookPatch, WebhookPath, WebhookTest, WebhookTestData, WebhookTestType, WebhookTypes,
};

use crate::values::{Text, limits};

/// A name of 1 to 200 characters.
pub type Name = Text<1, { limits::NAME }>;
/// Short free text of 1 to 200 characters.
pub type Label = Text<1, { limits::LABEL }>;
