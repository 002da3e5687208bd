//! What lies outside the service, each behind an interface of its own with an embedded default.

pub mod places;
