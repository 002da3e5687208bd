//! The command `itinerary`; see the library.

fn main() -> std::process::ExitCode {
    itinerary_cli::run()
}
