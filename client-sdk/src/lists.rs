//! Lists of responses without their wrapping: the entries of a list, and the sections of an itinerary as slices.

use crate::types::{
    Attention, Day, DayList, Document, Expense, ExpenseList, Flight, FlightList, Hotel, HotelList, Itinerary,
    ListedDocument, ListedDocumentList, PackingItem, PackingItemList, Reservation, ReservationList, Transport,
    TransportList,
};
use crate::versioned::Versioned;

macro_rules! entries {
    ($($list:ident of $entry:ident;)+) => {
        $(impl Versioned<$list> {
            /// Returns the entries without the version. `list.data` borrows them; use that if a write follows, which
            /// needs the version.
            ///
            /// ```
            #[doc = concat!("use itinerary_sdk::{Versioned, types::{", stringify!($entry), ", ", stringify!($list), "}};")]
            ///
            #[doc = concat!("fn entries(list: Versioned<", stringify!($list), ">) -> Vec<", stringify!($entry), "> {")]
            ///     list.into_data()
            /// }
            /// ```
            pub fn into_data(self) -> Vec<$entry> {
                self.into_inner().data
            }
        })+
    };
}

entries! {
    DayList of Day;
    ExpenseList of Expense;
    FlightList of Flight;
    HotelList of Hotel;
    ListedDocumentList of ListedDocument;
    PackingItemList of PackingItem;
    ReservationList of Reservation;
    TransportList of Transport;
}

macro_rules! sections {
    ($($(#[doc = $doc:literal])+ $name:ident of $entry:ident;)+) => {
        impl Itinerary {
            $(
                $(#[doc = $doc])+
                ///
                /// ```
                /// fn count(trip: &itinerary_sdk::types::Itinerary) -> usize {
                #[doc = concat!("    trip.", stringify!($name), "().len()")]
                /// }
                /// ```
                pub fn $name(&self) -> &[$entry] {
                    self.$name.as_deref().unwrap_or_default()
                }
            )+
        }
    };
}

sections! {
    /// Returns the field `needs_attention`: what the write could not place or fill in. Empty after a read, where the
    /// service does not send the field.
    needs_attention of Attention;
    /// Returns the flights; empty if the caller may not see them. The field `flights` tells the two apart.
    flights of Flight;
    /// Returns the hotels; empty if the caller may not see them. The field `hotels` tells the two apart.
    hotels of Hotel;
    /// Returns the transports; empty if there are none, or the caller may not see them.
    transports of Transport;
    /// Returns the reservations; empty if there are none, or the caller may not see them.
    reservations of Reservation;
    /// Returns the expenses; empty if the caller may not see them. The field `expenses` tells the two apart.
    expenses of Expense;
    /// Returns the packing items; empty if the caller may not see them. The field `packing` tells the two apart.
    packing of PackingItem;
    /// Returns the documents; empty if the caller may not see them. The field `documents` tells the two apart.
    documents of Document;
}
