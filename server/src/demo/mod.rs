//! A filled database for trying the service: travellers, itineraries, follows and likes.

mod data;
