//! The command `mail test`, which sends a mail at once.

use clap::Subcommand;
use itinerary_app::mails;
use itinerary_core::clock::Clock;
use itinerary_core::ids;
use itinerary_platform::mail_address::MailAddress;
use itinerary_platform::ports::mail::Mailer;
use itinerary_platform::settings::Config;
use itinerary_platform::system::{SystemClock, SystemRandom};
use serde_json::json;

use super::CliResult;
use super::output::Output;

#[derive(Subcommand)]
pub(super) enum MailCommand {
    /// Send a test to an address now, and print the reply of the mail server
    Test {
        /// The address
        #[arg(value_parser = address)]
        address: MailAddress,
    },
}

fn address(text: &str) -> Result<MailAddress, &'static str> {
    MailAddress::parse(text).ok_or("must be a mail address")
}

/// Uses neither database nor key.
pub(super) async fn run(config: Config, MailCommand::Test { address }: MailCommand, output: Output) -> CliResult {
    let Some(mailer) = Mailer::configured(&config)? else {
        return Err("no mail server is set: see docs/operating/mail.md".into());
    };
    let now = SystemClock.now();
    let mail = mails::test_mail(&config.base_url, &address, ids::uuid(now, &SystemRandom), now);
    let reply = mailer.send(&mail).await?;
    let to = address.as_str();
    let text = format!("The mail server has taken a test for {to}. Its reply: {reply}");
    output.print(&json!({ "address": to, "reply": reply }), &reply, &text)
}
