//! A world: a server with its database and clock, and its travellers.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use itinerary_api::policy::Policy;
use itinerary_app::{accounts, personal_tokens};
use itinerary_core::clock::Clock;
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_platform::passwords::HashingCost;
use itinerary_platform::settings::{Config, DatabaseSettings, Storage};
use itinerary_platform::system::SystemRandom;
use itinerary_providers::{ClientDocument, ClientDocuments, Failure, Instant};
use itinerary_sdk::{Client, ClientBuilder};
use itinerary_server::serve::{self, Running, StartError};
use itinerary_store::{ContentRow, ContentSelection, ItineraryRow, NewAccount};
use reqwest::Method;
use tempfile::TempDir;
use test_support::database::Database;
use test_support::reuse::{Lease, Spoiled};
use uuid::Uuid;

use crate::raw::{self, Call};

/// The scopes of an ordinary app.
pub const READ_WRITE: &str = "itineraries:read itineraries:write";
/// The password of every traveller.
pub const PASSWORD: &str = "correct horse battery";

/// A clock that stands still until it is advanced.
pub struct TestClock(Mutex<DateTime<Utc>>);

impl TestClock {
    fn new() -> Self {
        Self(Mutex::new("2027-01-10T12:00:00Z".parse().expect("a time")))
    }

    pub fn advance(&self, by: TimeDelta) {
        *self.0.lock().expect("no test panics while it holds the clock") += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().expect("no test panics while it holds the clock")
    }
}

/// Fetches no metadata documents, because tests use no network.
struct Offline;

#[async_trait]
impl ClientDocuments for Offline {
    async fn fetch(&self, _: &str, _: Instant) -> Result<ClientDocument, Failure> {
        Err(Failure::Unreachable)
    }
}

/// A server with its database and clock, which ends with the test.
pub struct World {
    /// The clock that the server reads.
    pub clock: Arc<TestClock>,
    pub base_url: String,
    /// A client without cookies that follows no redirects.
    pub http: reqwest::Client,
    storage: Storage,
    running: Running,
    _failing: Failing,
    _folder: TempDir,
}

/// Keeps the database of a test that fails from being used again.
struct Failing(Option<Spoiled>);

impl Drop for Failing {
    fn drop(&mut self) {
        if let Some(spoiled) = &self.0
            && std::thread::panicking()
        {
            spoiled.set();
        }
    }
}

impl World {
    /// A server on an empty database. `None` if PostgreSQL is not to be used or not installed.
    pub async fn start(database: Database) -> Option<Self> {
        Self::start_with(database, |_| ()).await
    }

    /// The same with settings changed by `configure`.
    pub async fn start_with(database: Database, configure: impl Fn(&mut Config)) -> Option<Self> {
        Self::start_adapted(database, configure, |_| ()).await
    }

    /// The same with metadata documents of OAuth clients from `documents`.
    pub async fn start_with_documents(database: Database, documents: Arc<dyn ClientDocuments>) -> Option<Self> {
        let adapt = |service: &mut Service| service.ports.client_documents = Arc::clone(&documents);
        Self::start_adapted(database, |_| (), adapt).await
    }

    /// The same with other policy rows.
    pub async fn start_with_policies(database: Database, policies: &'static [Policy]) -> Option<Self> {
        Self::start_adapted(database, |_| (), |service| service.policies = policies).await
    }

    async fn start_adapted(
        database: Database,
        configure: impl Fn(&mut Config),
        adapt: impl Fn(&mut Service),
    ) -> Option<Self> {
        let folder = TempDir::new().expect("a folder for the test");
        let (database_url, lease) = database.leased(folder.path()).await?;
        let spoiled = lease.as_ref().map(Lease::spoiled);
        // The runtime ends this task together with the server, so that the server makes no request of the database after the lease.
        tokio::spawn(async move {
            let _lease = lease;
            std::future::pending::<()>().await;
        });
        let storage = Storage {
            data: folder.path().to_owned(),
            database_url: Some(database_url),
            database: DatabaseSettings { database_connections: 8, ..DatabaseSettings::default() },
            ..Storage::default()
        };
        let clock = Arc::new(TestClock::new());
        let running = start(&storage, &clock, configure, adapt).await;
        let base_url = running.service.config.base_url.clone();
        let http = raw::client_builder().build().expect("a client");
        Some(Self { clock, base_url, http, storage, running, _failing: Failing(spoiled), _folder: folder })
    }

    /// The service behind the server, for actions that no request can cause.
    pub fn service(&self) -> &Service {
        &self.running.service
    }

    /// The same as a shared reference.
    pub fn shared_service(&self) -> Arc<Service> {
        Arc::clone(&self.running.service)
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    pub fn data(&self) -> PathBuf {
        self.storage.data.clone()
    }

    /// A traveller on the free plan, created if necessary.
    pub async fn account(&self, name: &str) -> Uuid {
        accounts::create(self.service(), name, name, PASSWORD).await.expect("a good name")
    }

    /// Lets an account follow somebody on each of the last three days, so that its reports count if it is old enough.
    pub async fn is_active(&self, account: Uuid) {
        let (store, now) = (&self.service().store, self.clock.now());
        for days in 0_u32..3 {
            let name = format!("bystander-{days}");
            let followed = NewAccount {
                id: Uuid::from_u128(0x0194_a000_0000_7000_8000_0000_b057_0000 + u128::from(days)),
                username: name.clone(),
                username_folded: name.clone(),
                display_name: name,
                password_hash: "none".to_owned(),
                plan: Plan::Free,
                created_at: now,
            };
            store.account_insert(&followed).await.expect("a database");
            store.follow_set(account, followed.id, now - TimeDelta::days(days.into())).await.expect("a database");
        }
    }

    /// An access token of a traveller, who is created if necessary.
    pub async fn token_of_anyone(&self, name: &str, scope: &str) -> String {
        if self.service().store.account_by_username(name).await.expect("a database").is_none() {
            self.account(name).await;
        }
        self.token(name, scope).await
    }

    /// A traveller with Pro.
    pub async fn pro_account(&self, name: &str) -> Uuid {
        let id = self.account(name).await;
        self.set_plan(name, Plan::Pro).await;
        id
    }

    pub async fn set_plan(&self, name: &str, plan: Plan) {
        accounts::set_plan(self.service(), name, plan).await.expect("a known name");
    }

    /// An access token for a traveller, valid for an hour of the world's clock.
    pub async fn token(&self, name: &str, scope: &str) -> String {
        accounts::issue_token(self.service(), name, scope).await.expect("a known name").0
    }

    /// A builder of the SDK's client.
    /// A personal access token of an account, valid for 30 days.
    pub async fn personal_token(&self, account: Uuid, name: &str, scope: &str) -> String {
        let expires_at = Clock::now(&*self.clock) + TimeDelta::days(30);
        let made = personal_tokens::create(self.service(), account, None, name, scope, expires_at).await;
        made.expect("a personal access token").token
    }

    pub fn client_builder(&self) -> ClientBuilder {
        // A test asserts the first response.
        Client::builder(&self.base_url).http_client(self.http.clone()).no_retries()
    }

    /// The SDK's client with this token.
    pub fn client_with(&self, token: &str) -> Client {
        self.client_builder().access_token(token).build().expect("a client")
    }

    /// The SDK's client for a traveller, who is created if necessary, with the scopes of an ordinary app.
    pub async fn client(&self, name: &str) -> Client {
        if self.service().store.account_by_username(name).await.expect("a database").is_none() {
            self.account(name).await;
        }
        self.client_with(&self.token(name, READ_WRITE).await)
    }

    pub fn call(&self, method: Method, path: &str) -> Call {
        Call(self.http.request(method, format!("{}{path}", self.base_url)))
    }

    /// Stops the server and starts another on the same data and clock.
    pub async fn restart(self) -> Self {
        let Self { clock, http, storage, running, _failing: failing, _folder: folder, .. } = self;
        running.stop().await;
        let running = start(&storage, &clock, |_| (), |_| ()).await;
        let base_url = running.service.config.base_url.clone();
        Self { clock, base_url, http, storage, running, _failing: failing, _folder: folder }
    }

    pub fn database_url(&self) -> &str {
        self.storage.database_url.as_deref().expect("each test has a database of its own")
    }

    /// Runs a statement beside the server.
    pub async fn sql(&self, statement: &str) {
        test_support::sql::run(self.database_url(), statement).await;
    }

    /// Makes an account a member of an itinerary, directly in the database.
    pub async fn member(&self, itinerary: &str, account: Uuid, role: &str) {
        let (itinerary, account) = (self.literal(itinerary.parse().expect("a UUID")), self.literal(account));
        let columns = "itinerary_id, account_id, role, created_at, owner_id";
        let values = format!("SELECT id, {account}, '{role}', 0, owner_id FROM itineraries WHERE id = {itinerary}");
        self.sql(&format!("INSERT INTO members ({columns}) {values}")).await;
    }

    /// Removes a member, directly in the database.
    pub async fn no_member(&self, itinerary: &str, account: Uuid) {
        let (itinerary, account) = (self.literal(itinerary.parse().expect("a UUID")), self.literal(account));
        self.sql(&format!("DELETE FROM members WHERE itinerary_id = {itinerary} AND account_id = {account}")).await;
    }

    /// A UUID as an SQL literal.
    fn literal(&self, id: Uuid) -> String {
        if self.database_url().starts_with("sqlite") { format!("X'{}'", id.simple()) } else { format!("'{id}'") }
    }

    /// The stored rows of an itinerary, as for its owner.
    pub async fn stored(&self, itinerary: &str) -> Option<(ItineraryRow, ContentRow)> {
        let (store, id) = (&self.service().store, itinerary.parse().expect("a UUID"));
        let (row, _) = store.itinerary(id, Uuid::nil(), ContentSelection::Nothing).await.expect("a database")?;
        store.itinerary(id, row.owner_id, ContentSelection::Everything).await.expect("a database")
    }

    /// The stored size of an itinerary in bytes, which its size limit applies to.
    pub async fn stored_bytes(&self, itinerary: &str) -> usize {
        let (_, content) = self.stored(itinerary).await.expect("it is there");
        [content.everyone, content.members, content.pro, content.documents].iter().map(Bytes::len).sum()
    }

    /// Another server on the same data and clock, like a second replica.
    pub async fn replica(&self) -> Running {
        self.replica_with(|_| ()).await
    }

    /// The same with a clock of its own, which is behind by so much.
    pub async fn replica_behind(&self, by: TimeDelta) -> Running {
        let clock = Arc::new(TestClock(Mutex::new(self.clock.now() - by)));
        start(&self.storage, &clock, |_| (), |_| ()).await
    }

    /// The same with settings changed by `configure`.
    pub async fn replica_with(&self, configure: impl Fn(&mut Config)) -> Running {
        start(&self.storage, &self.clock, configure, |_| ()).await
    }
}

/// Starts a server on a free port. If another process takes the port first, tries the next.
async fn start(
    storage: &Storage,
    clock: &Arc<TestClock>,
    configure: impl Fn(&mut Config),
    adapt: impl Fn(&mut Service),
) -> Running {
    for _ in 0..10 {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
        let mut config = Config::new(port.expect("a free port"));
        config.password_cost = HashingCost::LEAST;
        // A build without optimisation takes many times as long, and the clock stands still.
        config.limit_settings.cpu = Duration::from_mins(10);
        // Tests say which places are known.
        config.gazetteer = false;
        configure(&mut config);
        let store = serve::open_store(storage).await.expect("a database");
        let key = itinerary_server::server_key::load(storage, &store, &SystemRandom).await.expect("a key");
        let clock = Arc::<TestClock>::clone(clock);
        let service = serve::service(storage, store, config, key, clock, Arc::new(SystemRandom));
        // On the heap: otherwise every test's future contains it.
        let mut service = Box::new(service.expect("a service"));
        service.ports.client_documents = Arc::new(Offline);
        adapt(&mut service);
        match Box::pin(serve::start(*service)).await {
            Ok(running) => return running,
            Err(StartError::Listen { .. }) => {}
            Err(error) => panic!("the server does not start: {error}"),
        }
    }
    panic!("no port stays free");
}
