//! Passes of transports and reservations.

use super::content::{TextWriter, local, localized, time_module};
use super::resources::{
    EventDateTime, EventSeat, EventTicketClass, EventTicketObject, EventVenue, Image, ImageUri, Payload,
    PurchaseDetails, ReservationInfo, TicketLeg, TicketSeat, TransitClass, TransitObject,
};
use crate::pass::known_of;
use crate::{Reservation, Transport, TransportMode, When};

impl TextWriter<'_> {
    /// `None` if required data is missing.
    pub(super) fn transit(&self, transport: &Transport) -> Option<Payload> {
        let Transport { departure, arrival, .. } = transport;
        let ticket = &self.pass.ticket;
        let class = TransitClass {
            base: self.class(),
            transit_type: match transport.mode {
                TransportMode::Train => "RAIL",
                TransportMode::Bus => "BUS",
                TransportMode::Ferry => "FERRY",
                TransportMode::Transfer | TransportMode::Other => "OTHER",
                // Nobody has a ticket for these.
                TransportMode::Car | TransportMode::Taxi => return None,
            },
            logo: Image { source_uri: ImageUri { uri: self.logo.to_owned() } },
        };
        let place = |name: Option<&String>| known_of(name).map(|name| localized(self.room.fit(name)));
        let ticket_leg = TicketLeg {
            origin_name: place(departure.name.as_ref())?,
            destination_name: place(arrival.name.as_ref())?,
            departure_date_time: local(transport.departs.and_then(When::time)?),
            arrival_date_time: transport.arrives.and_then(When::time).map(local),
            transit_operator_name: self.optional(transport.operator.as_ref()).map(localized),
            carriage: self.fitted(transport.number.as_ref()),
            platform: self.optional(departure.platform.as_ref()),
            ticket_seat: self.seat(transport),
        };
        let object = TransitObject {
            base: self.object(&class.base, []),
            trip_type: "ONE_WAY",
            passenger_names: self.fitted(ticket.holder.as_ref()),
            ticket_number: self.fitted(ticket.number.as_ref()),
            purchase_details: self
                .fitted(ticket.confirmation.as_ref())
                .map(|confirmation_code| PurchaseDetails { confirmation_code }),
            ticket_leg,
        };
        Some(Payload::Transit { transit_classes: [class], transit_objects: [object] })
    }

    fn seat(&self, transport: &Transport) -> Option<TicketSeat> {
        let ticket = &self.pass.ticket;
        let custom_fare_class = self.optional(transport.class.as_ref()).map(localized);
        let (coach, seat) = (self.fitted(ticket.coach.as_ref()), self.fitted(ticket.seat.as_ref()));
        let some = custom_fare_class.is_some() || coach.is_some() || seat.is_some();
        some.then_some(TicketSeat { custom_fare_class, coach, seat })
    }

    pub(super) fn generic_transport(&self, transport: &Transport) -> Payload {
        let [departs, arrives] = transport.verbs();
        let [seat, coach, number, confirmation] = self.ticket_modules();
        let modules = [
            time_module("departs", departs, transport.departs),
            time_module("arrives", arrives, transport.arrives),
            self.module("passenger", "Passenger", self.pass.ticket.holder.as_ref()),
            self.module("platform", "Platform", transport.departure.platform.as_ref()),
            coach,
            seat,
            self.module("class", "Class", transport.class.as_ref()),
            self.module("operator", "Operator", transport.operator.as_ref()),
            self.module("arrival-platform", "Arrival platform", transport.arrival.platform.as_ref()),
            self.module("phone", "Telephone", transport.phone.as_ref()),
            number,
            confirmation,
        ];
        let kind = match known_of(transport.number.as_ref()) {
            Some(number) => format!("{} {number}", transport.kind()),
            None => transport.kind().to_owned(),
        };
        self.generic(&transport.route(), Some(&kind), modules)
    }

    pub(super) fn event(&self, reservation: &Reservation) -> Payload {
        let ticket = &self.pass.ticket;
        let name = self.room.fit(reservation.name.trim());
        let address = self.optional(reservation.address.as_ref());
        let (starts, ends) = (reservation.starts, reservation.ends);
        let start = starts.and_then(When::time).map(local);
        let class = EventTicketClass {
            base: self.class(),
            event_name: localized(name.clone()),
            venue: address.map(|address| EventVenue { name: localized(name), address: localized(address) }),
            date_time: start.map(|start| EventDateTime { start, end: ends.and_then(When::time).map(local) }),
        };
        // `dateTime` has a start, and no days.
        let is_in_class = |when: &When| class.date_time.is_some() && when.time().is_some();
        let people = reservation.people.map(|people| people.to_string());
        let modules = [
            time_module("starts", "Starts", starts.filter(|when| !is_in_class(when))),
            time_module("ends", "Ends", ends.filter(|when| !is_in_class(when))),
            self.module("people", "People", people.as_ref()),
            self.ticket_module("coach", "Coach", ticket.coach.as_ref()),
        ];
        let object = EventTicketObject {
            base: self.object(&class.base, modules),
            ticket_holder_name: self.fitted(ticket.holder.as_ref()),
            ticket_number: self.fitted(ticket.number.as_ref()),
            reservation_info: self
                .fitted(ticket.confirmation.as_ref())
                .map(|code| ReservationInfo { confirmation_code: Some(code), eticket_number: None }),
            seat_info: self.fitted(ticket.seat.as_ref()).map(|seat| EventSeat { seat: localized(seat) }),
        };
        Payload::Event { event_ticket_classes: [class], event_ticket_objects: [object] }
    }
}
