//! What the page of a secret link shows of an itinerary.
//!
//! Each value is built from the fields that are named here, so that no other field can be shown, known or not. A new field
//! of a booking does not compile until this says whether it is shown.

use itinerary_api::types::{Flight, Hotel, Itinerary, LinkSections, Reservation, Role, Tickets, Transport};

/// The itinerary as the readers of a link with these sections see it.
#[must_use]
pub fn of(itinerary: Itinerary, sections: LinkSections) -> Itinerary {
    let shows_bookings = match sections {
        LinkSections::Plan => false,
        LinkSections::Bookings => true,
    };
    Itinerary {
        id: itinerary.id,
        title: itinerary.title,
        summary: itinerary.summary,
        destination: itinerary.destination,
        origin: None,
        start_date: itinerary.start_date,
        travellers: itinerary.travellers,
        tags: itinerary.tags,
        cover_image: itinerary.cover_image,
        currency: itinerary.currency,
        days: itinerary.days,
        flights: itinerary.flights.filter(|_| shows_bookings).map(|flights| flights.map(flight)),
        hotels: itinerary.hotels.filter(|_| shows_bookings).map(|hotels| hotels.map(hotel)),
        transports: itinerary.transports.filter(|_| shows_bookings).map(|transports| transports.map(transport)),
        reservations: itinerary.reservations.filter(|_| shows_bookings).map(|bookings| bookings.map(reservation)),
        expenses: None,
        packing: None,
        documents: None,
        saved_from: None,
        visibility: itinerary.visibility,
        role: Role::Viewer,
        author: itinerary.author,
        created_at: itinerary.created_at,
        updated_at: itinerary.updated_at,
        likes_count: itinerary.likes_count,
        views_count: itinerary.views_count,
        needs_attention: None,
    }
}

fn flight(flight: Flight) -> Flight {
    Flight {
        id: flight.id,
        flight_airline: flight.flight_airline,
        flight_number: flight.flight_number,
        departure_airport: flight.departure_airport,
        arrival_airport: flight.arrival_airport,
        departure_date: flight.departure_date,
        arrival_date: flight.arrival_date,
        departure_day: flight.departure_day,
        cabin_class: flight.cabin_class,
        seat_number: flight.seat_number,
        gate_number: flight.gate_number,
        departure_terminal: flight.departure_terminal,
        arrival_terminal: flight.arrival_terminal,
        phone_number: None,
        confirmation_number: None,
        provider: flight.provider,
        booking_url: None,
        notes: None,
        tickets: Tickets::default(),
    }
}

fn hotel(hotel: Hotel) -> Hotel {
    Hotel {
        id: hotel.id,
        name: hotel.name,
        place: hotel.place,
        check_in_date: hotel.check_in_date,
        check_out_date: hotel.check_out_date,
        room_number: None,
        phone_number: None,
        confirmation_number: None,
        provider: hotel.provider,
        booking_url: None,
        notes: None,
        tickets: Tickets::default(),
    }
}

fn transport(transport: Transport) -> Transport {
    Transport {
        id: transport.id,
        mode: transport.mode,
        operator: transport.operator,
        number: transport.number,
        departure_place: transport.departure_place,
        arrival_place: transport.arrival_place,
        departure_date: transport.departure_date,
        arrival_date: transport.arrival_date,
        departure_day: transport.departure_day,
        travel_class: transport.travel_class,
        departure_platform: transport.departure_platform,
        arrival_platform: transport.arrival_platform,
        phone_number: None,
        confirmation_number: None,
        provider: transport.provider,
        booking_url: None,
        notes: None,
        tickets: Tickets::default(),
    }
}

fn reservation(reservation: Reservation) -> Reservation {
    Reservation {
        id: reservation.id,
        name: reservation.name,
        category: reservation.category,
        place: reservation.place,
        start_date: reservation.start_date,
        end_date: reservation.end_date,
        start_day: reservation.start_day,
        end_day: reservation.end_day,
        party_size: reservation.party_size,
        phone_number: None,
        confirmation_number: None,
        provider: reservation.provider,
        booking_url: None,
        notes: None,
        tickets: Tickets::default(),
    }
}
