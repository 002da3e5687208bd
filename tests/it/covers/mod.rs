//! Cover images: uploaded, drawn, saved along, deleted, and hostile.
