//! The server program; see the library.

/// The system's allocator is slow at the many small and some large allocations of requests.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    itinerary_server::cli::run()
}
