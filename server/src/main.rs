//! The server's program: see the library.

/// Requests take and free many small pieces and some large ones, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    itinerary_server::cli::run()
}
