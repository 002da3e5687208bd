//! The server's program: see the library.

fn main() -> std::process::ExitCode {
    itinerary_server::cli::run()
}
