//! The server's program once more, so that the tests of this package know where it is.

fn main() -> std::process::ExitCode {
    itinerary_server::cli::run()
}
