//! Time zones, countries and currencies in hard cases, through HTTP.
