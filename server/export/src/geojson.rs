use crate::trip::Trip;

pub(crate) fn export(trip: &Trip<'_>) -> String {
    trip.address.clone()
}
