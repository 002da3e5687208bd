//! Contract tests for any server of the itinerary API.
