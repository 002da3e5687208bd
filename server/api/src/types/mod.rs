//! The wire types: resources, paths and queries.

mod account;
mod day;
mod document;
mod expense;
mod explore;
mod export;
mod flight;
mod hotel;
mod itinerary;
mod marks;
mod member;
pub mod oauth;
mod packing;
mod page;
mod part;
mod place;
mod rpc;
mod stop;
mod wallet;

pub use account::{Account, AccountPatch, AccountPath, AccountQuery, Author, Profile};
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
pub use itinerary::{
    Attention, AttentionCode, Days, Documents, Expenses, Flights, Hotels, Itinerary, ItineraryCreate, ItineraryPatch,
    ListedItinerary, Packing, SavedFrom, Summary, SummaryAuthor, Tags, Title, Travellers,
};
pub use itinerary_model::{ListFilter, MemberRole, Plan, Role, Visibility};
pub use marks::{Marks, Report, ReportCreate, ReportReason};
pub use member::{Invitation, Member, MemberChange, MemberPath, MemberStatus};
pub use packing::{PackingCategory, PackingItem, PackingItemPatch, PackingPath};
pub use page::{AccountListQuery, CreateQuery, DocsPath, Health, ItineraryPath, ListQuery, Page, PageLimit, PageQuery};
pub use part::{DayPath, ItemList, Position, PositionQuery, StopMove, StopPath};
pub use place::{
    Coordinate, CoordinatePatch, CoverImageQuery, Destination, DestinationPatch, Image, ImagePatch, ImagePath, Place,
    PlacePatch, TripPath,
};
pub use rpc::RpcMessage;
pub use stop::{Activity, ActivityPatch, Stop, StopCategory, StopPatch, StopSuggestion};
pub use wallet::{WalletLink, WalletPass, WalletPassFormat, WalletPassKind, WalletPassPath, WalletPassQuery};

use crate::values::{Text, limits};

/// A name of 1 to 200 characters.
pub type Name = Text<1, { limits::NAME }>;
/// Short free text of 1 to 200 characters.
pub type Label = Text<1, { limits::LABEL }>;
