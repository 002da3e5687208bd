//! The servers of one database, and which of them is used.
//!
//! One host that may be anything is used as it is. Otherwise a task for each host asks it every second what it is. The
//! primary is used: the host that accepts writes, on the highest timeline that was ever seen here. So a former primary that
//! comes back, or does not know yet that another one was promoted, is not used again. A replica is a host of its own, which
//! is used while it follows another server.
//!
//! What a connection has been opened for is its number: when another host is chosen, or none, the number changes, statements
//! that wait for an answer end, and idle connections are closed instead of being used.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sea_orm::sqlx::Error;
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use super::host::{Host, Role, in_time};
use super::server::cause;
use crate::address::Target;

/// The pause between two questions to a host.
const EVERY: Duration = Duration::from_secs(1);

/// The pause while no host is used.
const SOON: Duration = Duration::from_millis(250);

/// The shortest pause, when somebody waits for the answer.
const SHORT: Duration = Duration::from_millis(100);

/// How long connecting may take for such a question. Requests wait for a connection until their own deadline.
const CONNECTING: Duration = Duration::from_secs(2);

/// The host that is used, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Chosen {
    host: Option<usize>,
    number: u64,
}

#[derive(Debug)]
pub(super) struct Hosts {
    search: Arc<Search>,
    /// Ask the hosts, until they are dropped.
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Debug)]
struct Search {
    hosts: Vec<Host>,
    /// `None` if the only host is used, whatever it is.
    wanted: Option<Wanted>,
    chosen: watch::Sender<Chosen>,
    /// Asks all hosts now.
    ask: Notify,
    state: Mutex<SearchState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    ReadWrite,
    /// Also one that is set to refuse writes.
    Primary,
    /// A server that follows another one, for reads.
    Standby,
}

#[derive(Debug)]
struct SearchState {
    /// What is known of each host.
    reports: Vec<Report>,
    /// The highest timeline of a primary.
    timeline: i64,
    has_chosen: bool,
}

#[derive(Clone, Debug)]
enum Report {
    Unknown,
    Is(Role),
    Away(String),
}

/// What a connection has been opened for.
#[derive(Debug)]
pub(super) struct Purpose {
    /// The index of the host.
    pub(super) host: usize,
    number: u64,
    chosen: watch::Receiver<Chosen>,
    can_move: bool,
}

impl Purpose {
    /// Whether its host is still the one that is used.
    pub(super) fn is_current(&self) -> bool {
        !self.can_move || self.chosen.borrow().number == self.number
    }

    /// Waits until another host is used, or none.
    pub(super) async fn moved(&mut self) {
        let number = self.number;
        if !self.can_move || self.chosen.wait_for(|chosen| chosen.number != number).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Hosts {
    /// Several hosts must be those of one database that is written to.
    pub(super) fn new(hosts: Vec<PgConnectOptions>, target: Option<Target>) -> Self {
        let wanted = match target {
            Some(Target::Primary) => Some(Wanted::Primary),
            Some(Target::Standby) => Some(Wanted::Standby),
            Some(Target::ReadWrite) => Some(Wanted::ReadWrite),
            _ => (hosts.len() > 1).then_some(Wanted::ReadWrite),
        };
        let chosen = Chosen { host: wanted.is_none().then_some(0), number: 0 };
        let state = SearchState { reports: vec![Report::Unknown; hosts.len()], timeline: 0, has_chosen: false };
        let search = Arc::new(Search {
            hosts: hosts.into_iter().map(Host::new).collect(),
            wanted,
            chosen: watch::Sender::new(chosen),
            ask: Notify::new(),
            state: Mutex::new(state),
        });
        let mut tasks = JoinSet::new();
        if wanted.is_some() {
            for host in 0..search.hosts.len() {
                tasks.spawn(watch_host(Arc::clone(&search), host));
            }
        }
        Self { search, tasks: Mutex::new(tasks) }
    }

    /// All hosts, for messages.
    pub(super) fn name(&self) -> String {
        self.search.hosts.iter().map(Host::name).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn name_of(&self, host: usize) -> &str {
        self.search.hosts[host].name()
    }

    /// Opens a connection to the host that is used, as soon as there is one. Attempts that fail because it is away or
    /// starting are repeated. `Err(None)` if nothing is known at the deadline.
    pub(super) async fn connect(&self, deadline: Instant) -> Result<(PgConnection, Purpose), Option<Error>> {
        let mut last = None;
        let mut pause = Duration::from_millis(10);
        loop {
            let Some(mut purpose) = self.purpose(deadline).await else { return Err(last) };
            match timeout_at(deadline, self.search.open(&mut purpose)).await {
                Ok(Ok(connection)) => return Ok((connection, purpose)),
                Ok(Err(error)) if is_passing(&error) || purpose.can_move => last = Some(error),
                Ok(Err(error)) => return Err(Some(error)),
                Err(_) => return Err(last),
            }
            if timeout_at(deadline, sleep(pause)).await.is_err() {
                return Err(last);
            }
            pause = (pause * 2).min(SHORT * 2);
        }
    }

    /// Waits for a host that can be used.
    async fn purpose(&self, deadline: Instant) -> Option<Purpose> {
        let mut receiver = self.search.chosen.subscribe();
        let chosen = timeout_at(deadline, receiver.wait_for(|chosen| chosen.host.is_some())).await;
        let Chosen { host, number } = *chosen.ok()?.ok()?;
        Some(Purpose { host: host?, number, chosen: receiver, can_move: self.search.wanted.is_some() })
    }

    /// The number of the choice.
    pub(super) fn choice(&self) -> u64 {
        self.search.chosen.borrow().number
    }

    /// A connection failed, or a write was refused: asks all hosts at once.
    pub(super) fn doubt(&self) {
        self.search.ask.notify_waiters();
    }

    /// Why no host is used. `None` if only one is known, or one is used.
    pub(super) fn why_none(&self) -> Option<String> {
        let has_host = self.search.chosen.borrow().host.is_some();
        (!has_host).then(|| self.search.described())
    }

    /// Stops asking the hosts.
    pub(super) async fn close(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
    }
}

impl Search {
    fn lock(&self) -> MutexGuard<'_, SearchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connection, and checks that its host is what it was chosen for.
    async fn open(&self, purpose: &mut Purpose) -> Result<PgConnection, Error> {
        let host = purpose.host;
        let opening = async {
            let mut connection = self.hosts[host].connect().await?;
            if self.wanted.is_some() {
                let role = Host::role(&mut connection).await?;
                self.report(host, Ok(role));
                if role.is_read_only() {
                    // New sessions may have another default than the one that asks.
                    self.ask.notify_waiters();
                }
            }
            Ok(connection)
        };
        let outcome = tokio::select! {
            outcome = opening => outcome,
            () = purpose.moved() => return Err(no_longer_chosen()),
        };
        match outcome {
            Ok(_) if !purpose.is_current() => Err(no_longer_chosen()),
            Err(error) if self.wanted.is_some() => {
                self.ask.notify_waiters();
                Err(error)
            }
            outcome => outcome,
        }
    }

    /// Notes what a host is, and chooses.
    fn report(&self, host: usize, outcome: Result<Role, &Error>) {
        let mut state = self.lock();
        match outcome {
            Ok(role) => state.reports[host] = Report::Is(role),
            // It answers, so its other connections may work.
            Err(error) if is_answer(error) && matches!(state.reports[host], Report::Is(_)) => return,
            Err(error) => state.reports[host] = Report::Away(cause(error)),
        }
        let before = *self.chosen.borrow();
        let best = state.choose(before.host, |role| self.accepts(role));
        if best == before.host {
            return;
        }
        let had_chosen = state.has_chosen;
        state.has_chosen |= best.is_some();
        self.chosen.send_replace(Chosen { host: best, number: before.number + 1 });
        drop(state);
        match best {
            _ if self.wanted == Some(Wanted::Standby) => {}
            Some(host) => {
                let server = self.hosts[host].name();
                tracing::info!(server, "this server is the database's primary");
            }
            None if had_chosen => tracing::warn!(why = self.described(), "the database has no primary"),
            None => {}
        }
    }

    fn accepts(&self, role: Role) -> bool {
        match role {
            Role::Primary { is_read_only, .. } => match self.wanted {
                Some(Wanted::Standby) => false,
                Some(Wanted::Primary) => true,
                _ => !is_read_only,
            },
            Role::Standby => self.wanted == Some(Wanted::Standby),
        }
    }

    /// What is known of each host.
    fn described(&self) -> String {
        let state = self.lock();
        let described = self.hosts.iter().zip(&state.reports).map(|(host, report)| {
            let report = match report {
                Report::Unknown => "not asked yet",
                Report::Is(Role::Standby) => "a standby",
                Report::Is(Role::Primary { .. }) if self.wanted == Some(Wanted::Standby) => "it follows no database",
                Report::Is(Role::Primary { timeline, .. }) if *timeline < state.timeline => "a former primary",
                Report::Is(Role::Primary { .. }) => "refuses writes",
                Report::Away(cause) => cause,
            };
            format!("{}: {report}", host.name())
        });
        described.collect::<Vec<_>>().join("; ")
    }
}

impl SearchState {
    /// The host to use: the present one if it is as good as any.
    fn choose(&mut self, present: Option<usize>, accepts: impl Fn(Role) -> bool) -> Option<usize> {
        let timeline = |report: &Report| match report {
            Report::Is(Role::Primary { timeline, .. }) => Some(*timeline),
            _ => None,
        };
        self.timeline = self.reports.iter().filter_map(timeline).fold(self.timeline, i64::max);
        let is_good = |host: &usize| match &self.reports[*host] {
            Report::Is(role @ Role::Primary { timeline, .. }) => *timeline == self.timeline && accepts(*role),
            Report::Is(role) => accepts(*role),
            _ => false,
        };
        present.filter(is_good).or_else(|| (0..self.reports.len()).find(is_good))
    }
}

/// Asks a host again and again.
async fn watch_host(search: Arc<Search>, host: usize) {
    let mut kept = None;
    loop {
        let asked = search.ask.notified();
        let outcome = ask(&search.hosts[host], &mut kept).await;
        search.report(host, outcome.as_ref().map(|role| *role));
        let pause = if search.chosen.borrow().host.is_some() { EVERY } else { SOON };
        sleep(SHORT).await;
        tokio::select! {
            // Through a new session, which has the present settings.
            () = asked => kept = None,
            () = sleep(pause.saturating_sub(SHORT)) => {}
        }
    }
}

/// Asks through a connection that is kept. If it is broken, through a new one: the server may have closed only this one. A
/// session that refuses writes is not kept, because it would not notice that the default has changed.
async fn ask(host: &Host, kept: &mut Option<PgConnection>) -> Result<Role, Error> {
    if let Some(mut connection) = kept.take() {
        match Host::role(&mut connection).await {
            Ok(role) => {
                *kept = (!role.is_read_only()).then_some(connection);
                return Ok(role);
            }
            Err(Error::Io(error)) if error.kind() == ErrorKind::TimedOut => return Err(Error::Io(error)),
            Err(_) => {}
        }
    }
    let mut connection = in_time(CONNECTING, host.connect()).await?;
    let role = Host::role(&mut connection).await?;
    *kept = (!role.is_read_only()).then_some(connection);
    Ok(role)
}

/// The error of a connection whose host is not the chosen one any more.
pub(super) fn no_longer_chosen() -> Error {
    Error::Io(std::io::Error::other("it is no longer used: another server is, or it does not answer"))
}

/// Whether the server answered, and refuses only this connection: there are too many, or the password is wrong.
fn is_answer(error: &Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    // Not if it is starting or stopping.
    code.is_some_and(|code| !code.starts_with("57P"))
}

/// Whether an attempt may succeed soon: nobody listens, or the server is starting or has too many connections.
fn is_passing(error: &Error) -> bool {
    match error {
        Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        Error::Database(error) => error.code().is_some_and(|code| code == "53300" || code == "57P03"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primary(timeline: i64) -> Report {
        Report::Is(Role::Primary { timeline, is_read_only: false })
    }

    fn is_primary(role: Role) -> bool {
        matches!(role, Role::Primary { .. })
    }

    fn state(reports: Vec<Report>) -> SearchState {
        SearchState { reports, timeline: 0, has_chosen: false }
    }

    #[test]
    fn the_primary_on_the_highest_timeline_is_used() {
        let mut state = state(vec![primary(1), Report::Is(Role::Standby), Report::Unknown]);
        assert_eq!(state.choose(None, is_primary), Some(0));
        state.reports[1] = primary(2);
        assert_eq!(state.choose(Some(0), is_primary), Some(1), "another one was promoted");
        state.reports[1] = Report::Away(String::new());
        assert_eq!(state.choose(Some(1), is_primary), None, "the former primary is not used again");
        state.reports[2] = primary(3);
        assert_eq!(state.choose(None, is_primary), Some(2));
    }

    #[test]
    fn the_present_host_stays_while_it_is_as_good() {
        let mut state = state(vec![primary(4), primary(4)]);
        assert_eq!(state.choose(Some(1), is_primary), Some(1));
        assert_eq!(state.choose(None, is_primary), Some(0));
        state.reports[1] = Report::Is(Role::Primary { timeline: 4, is_read_only: true });
        let writable = |role| matches!(role, Role::Primary { is_read_only: false, .. });
        assert_eq!(state.choose(Some(1), writable), Some(0));
    }
}
