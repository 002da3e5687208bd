//! Placing by name: trips, airports, refreshing, providers and their faults.

mod trips;
