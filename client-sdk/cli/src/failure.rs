//! How a command ends: its exit code, and one line that says what is wrong.

use std::error::Error as _;
use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use itinerary_sdk::types::{MergeConflict, MergeReason};
use itinerary_sdk::{ApiError, BuildError, ErrorExt, SignInError, TokenError, code};

use crate::flags::{self, Flags};
use crate::{json, text};

/// The exit codes. They are part of the program's interface: scripts branch on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Success = 0,
    Failure = 1,
    Usage = 2,
    SignIn = 3,
    NotFound = 4,
    Conflict = 5,
    Forbidden = 6,
    Invalid = 7,
    Unavailable = 8,
    Interrupted = 130,
}

impl Exit {
    /// Each code with its meaning.
    pub(crate) const MEANINGS: [(Self, &str); 10] = [
        (Self::Success, "success"),
        (Self::Failure, "any other failure"),
        (Self::Usage, "invalid arguments"),
        (Self::SignIn, "not signed in, or the sign-in has ended"),
        (Self::NotFound, "the trip, day, stop or person was not found"),
        (Self::Conflict, "the trip has changed since it was read, or exists already"),
        (Self::Forbidden, "not allowed: role, scope or plan"),
        (Self::Invalid, "the server rejected a field or a file"),
        (Self::Unavailable, "server unreachable, busy or paused: retry later"),
        (Self::Interrupted, "interrupted with Ctrl-C"),
    ];
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    message: String,
    /// The service's error code.
    pub(crate) code: Option<String>,
    field: Option<Box<str>>,
    /// What the command calls the field.
    argument: Option<&'static str>,
    request_id: Option<Box<str>>,
    /// What others have changed too, differently.
    pub(crate) conflicts: Box<[MergeConflict]>,
    /// Set for a failed read or write of this process.
    pub(crate) io: Option<ErrorKind>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            code: None,
            field: None,
            argument: None,
            request_id: None,
            conflicts: Box::default(),
            io: None,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    #[cfg(test)]
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Adds to the message what to do, or what was saved.
    #[must_use]
    pub(crate) fn and(mut self, more: &str) -> Self {
        let end = if self.message.ends_with(['.', '?', '!']) { " " } else { "; " };
        self.message = format!("{}{end}{more}", self.message);
        self
    }

    /// The failure with the command's own names for fields of the API.
    #[must_use]
    pub(crate) fn with_flags(mut self, flags: Flags) -> Self {
        self.message = flags::reworded(flags, &self.message);
        self.argument = self.field.as_deref().and_then(|field| flags::argument(flags, field));
        self
    }

    /// The failure of a request whose body held the command's own fields at this path, without the path.
    #[must_use]
    pub(crate) fn below(mut self, path: &str) -> Self {
        let path = format!("{path}.");
        self.message = self.message.replace(&path, "");
        self.field = self.field.map(|field| field.strip_prefix(&path).unwrap_or(&field).into());
        self
    }

    /// One line without control characters: the message, and the argument or field if the message does not name it.
    pub(crate) fn line(&self) -> String {
        let message = text::clean(&self.message);
        if let Some(argument) = self.argument {
            return if message.contains(argument) { message } else { format!("{message} (argument {argument})") };
        }
        match self.field.as_deref().map(text::clean) {
            Some(field) if !message.contains(&field) => format!("{message} (field {field})"),
            _ => message,
        }
    }

    /// Prints the failure on standard error: one line of text, or of JSON.
    pub(crate) fn print(&self, json: bool) {
        let mut stderr = anstream::stderr();
        // If standard error is closed, nobody can be told.
        let _ = if json {
            let mut error = serde_json::json!({
                "exitCode": self.exit as u8,
                "code": self.code,
                "message": text::clean(&self.message),
                "field": self.field.as_deref().map(text::clean),
                "argument": self.argument,
                "requestId": self.request_id.as_deref().map(text::clean),
            });
            if !self.conflicts.is_empty() {
                error["conflicts"] = serde_json::json!(self.conflicts);
            }
            let line = serde_json::json!({ "error": error }).to_string();
            writeln!(stderr, "{}", json::one_line(&line))
        } else {
            let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
            writeln!(stderr, "{red}itinerary:{red:#} {}", self.line())
        };
    }
}

/// Invalid arguments, without the usage that clap writes below what is wrong.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let words: Vec<_> = text.split("\n\n").take(1).flat_map(str::split_whitespace).collect();
        let message = words.join(" ");
        Self::usage(message.strip_prefix("error: ").unwrap_or(&message))
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        if !matches!(error, ApiError::ErrorResponse(_)) {
            return without_code(&error);
        }
        let exit = exit_of(error.code());
        let message = error.message().unwrap_or("the request was rejected").trim_end_matches('.').to_owned();
        let mut failure = Self::new(exit, message);
        failure.code = Some(error.code().to_owned());
        failure.field = error.field().map(Into::into);
        failure.request_id = error.request_id().map(Into::into);
        failure.conflicts = error.conflicts().into();
        let details = error.details();
        if let Some(id) = details.and_then(|details| details.itinerary_id) {
            // The parameter's name is the API's.
            failure.message = failure.message.replace("Send allowDuplicate=true", "Pass --allow-duplicate");
            failure = failure.and(&format!("its id is {id}"));
        }
        if error.details().is_some_and(|details| details.required.is_some()) {
            failure = failure.and("sign in again with `itinerary login`");
        }
        if failure.code.as_deref() == Some(code::ITINERARY_MODIFIED) {
            failure.message = modified(&error);
        }
        if let Some(wait) = error.retry_after() {
            failure = failure.and(&format!("retry after {} seconds", wait.as_secs()));
        }
        if exit == Exit::SignIn {
            failure = failure.and("sign in with `itinerary login`");
        }
        failure
    }
}

/// What has changed meanwhile.
fn modified(error: &ApiError) -> String {
    let reason = error.details().and_then(|details| details.reason.as_ref()?.known());
    match reason {
        Some(MergeReason::Conflict) => {
            let paths: Vec<_> = error.conflicts().iter().map(|conflict| &*conflict.path).collect();
            format!("others have changed the same: {}", paths.join(", "))
        }
        Some(MergeReason::BaseGone) => "the version that was read is no longer kept: run the command again".to_owned(),
        None => "somebody has changed the trip meanwhile: run the command again".to_owned(),
    }
}

fn exit_of(code: &str) -> Exit {
    match code {
        code::UNAUTHENTICATED => Exit::SignIn,
        code::NOT_FOUND => Exit::NotFound,
        code::ITINERARY_MODIFIED | code::DUPLICATE_ITINERARY | code::CONFLICT => Exit::Conflict,
        code::FORBIDDEN | code::SUBSCRIPTION_REQUIRED => Exit::Forbidden,
        code::VALIDATION_FAILED
        | code::ITINERARY_TOO_LARGE
        | code::PAYLOAD_TOO_LARGE
        | code::UNSUPPORTED_MEDIA_TYPE
        | code::DOCUMENT_NOT_SEALED
        | code::IMAGE_REJECTED => Exit::Invalid,
        code::RATE_LIMITED | code::UPSTREAM_FAILED | code::FEATURE_UNAVAILABLE | code::REQUEST_TIMEOUT => {
            Exit::Unavailable
        }
        _ => Exit::Failure,
    }
}

/// An error that the service did not describe.
fn without_code(error: &ApiError) -> Failure {
    if error.needs_sign_in() {
        return Failure::new(Exit::SignIn, error.to_string()).and("sign in with `itinerary login`");
    }
    match error {
        ApiError::CommunicationError(error) | ApiError::ResponseBodyError(error) => unreachable_server(error),
        ApiError::UnexpectedResponse(answer) => unexpected(answer.status().as_u16()),
        ApiError::ErrorResponse(answer) => unexpected(answer.status().as_u16()),
        ApiError::InvalidResponsePayload(..) => {
            Failure::new(Exit::Failure, "the server sent a response that is not the API's")
        }
        _ => Failure::new(Exit::Failure, error.to_string()),
    }
}

fn unexpected(status: u16) -> Failure {
    let exit = match status {
        401 => Exit::SignIn,
        404 => Exit::NotFound,
        502..=504 => Exit::Unavailable,
        _ => Exit::Failure,
    };
    Failure::new(exit, format!("the server responded with status {status}"))
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        unreachable_server(&error)
    }
}

/// The innermost cause says what happened, such as that the connection was refused.
fn unreachable_server(error: &reqwest::Error) -> Failure {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let host = error.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    Failure::new(Exit::Unavailable, format!("cannot reach {host}: {cause}"))
}

impl From<SignInError> for Failure {
    fn from(error: SignInError) -> Self {
        let exit = match error {
            SignInError::Refused { .. } | SignInError::TimedOut => Exit::SignIn,
            SignInError::Build(_) | SignInError::OtherIssuer { .. } => Exit::Usage,
            SignInError::Discovery(_) => Exit::Unavailable,
            _ => Exit::Failure,
        };
        // Causes repeat headers and bodies; the innermost one is short.
        match error.source().and_then(|cause| cause.downcast_ref::<ApiError>()) {
            Some(ApiError::CommunicationError(cause)) => unreachable_server(cause),
            Some(_) => Self::new(exit, "the server is not an Itinerary Planning Service, or not this version"),
            None => Self::new(exit, error.to_string()),
        }
    }
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Self {
        let exit = match error {
            TokenError::SignInRequired { .. } => Exit::SignIn,
            TokenError::Unreachable(_) | TokenError::Unavailable { .. } => Exit::Unavailable,
            _ => Exit::Failure,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::InsecureHttp => {
                Self::usage("refusing to send tokens over plain http: use https, or pass --allow-insecure-http")
            }
            error => Self::usage(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let mut failure = Self::new(Exit::Failure, error.to_string());
        failure.io = Some(error.kind());
        failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_without_control_characters() {
        let mut failure = Failure::new(Exit::Invalid, "must not\nbe \u{1b}[31mempty\u{9b}2J");
        failure.field = Some("title\u{7}".into());
        assert_eq!(failure.line(), "must not be [31mempty2J (field title)");
        failure.field = Some("empty".into());
        assert_eq!(failure.line(), "must not be [31mempty2J", "the message names the field");
    }

    #[test]
    fn the_readme_lists_every_exit_code() {
        let readme = include_str!("../README.md");
        for (exit, meaning) in Exit::MEANINGS {
            let row = format!("| {} | {meaning} |\n", exit as u8);
            assert!(readme.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_sentence_is_continued() {
        assert_eq!(Failure::usage("no trip").and("see list").message(), "no trip; see list");
        assert_eq!(Failure::usage("Not found.").and("See list").message(), "Not found. See list");
    }
}
