//! Several servers on one PostgreSQL database and one Redis server, behind a round-robin.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use futures::future::join_all;
use itinerary_app::accounts;
use itinerary_platform::context::Service;
use itinerary_platform::passwords::HashingCost;
use itinerary_platform::settings::{Config, Storage};
use itinerary_platform::system::{SystemClock, SystemRandom};
use itinerary_server::serve;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{PATIENT, Program, command, free_address, words};
use itinerary_tests::raw::{self, Call};
use itinerary_tests::world::{PASSWORD, READ_WRITE};
use itinerary_tests::{Postgres, RawResponse};
use reqwest::Method;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::redis::Redis;

/// Servers that count together, and what they share.
pub(crate) struct Servers {
    pub(crate) all: Vec<Program>,
    pub(crate) engine: Engine,
    pub(crate) redis: Redis,
    /// Sets up accounts and tokens beside the servers.
    operator: Service,
    /// The address of the round-robin.
    pub(crate) front: String,
    /// Opens a connection for each request, so that consecutive requests go to different servers.
    http: reqwest::Client,
    _front: JoinSet<()>,
}

impl Servers {
    /// Starts this many. `None` if PostgreSQL or Redis is not installed.
    pub(crate) async fn start(number: usize, more: &[&str]) -> Option<Self> {
        let redis = Redis::start(&[])?;
        let url = redis.url();
        Self::start_with(number, redis, &[&["--limits", &url], more].concat()).await
    }

    /// The same with flags that say how to use Redis.
    pub(crate) async fn start_with(number: usize, redis: Redis, flags: &[&str]) -> Option<Self> {
        let engine = Engine::on(Postgres)?;
        let operator = operator(&engine).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let front = format!("http://{}", listener.local_addr().expect("an address"));
        let all = join_all((0..number).map(|n| serve(&engine, n, &front, flags)));
        let all = all.await;
        let http = raw::client_builder().pool_max_idle_per_host(0).build().expect("a client");
        let mut task = JoinSet::new();
        task.spawn(round_robin(listener, all.iter().map(Program::address).collect()));
        Some(Self { all, engine, redis, operator, front, http, _front: task })
    }

    /// The lines that a server has logged about the shared limits.
    pub(crate) fn log(&self, number: usize) -> Vec<String> {
        let log = fs::read_to_string(log_file(&self.engine, number)).expect("a log");
        log.lines().filter(|line| line.contains("shared rate limits")).map(str::to_owned).collect()
    }

    /// A request to the next server.
    pub(crate) fn call(&self, method: Method, path: &str) -> Call {
        Call(self.http.request(method, format!("{}{path}", self.front)))
    }

    /// The token of a new traveller's app.
    pub(crate) async fn traveller(&self, name: &str) -> String {
        accounts::create(&self.operator, name, name, PASSWORD).await.expect("a good name");
        self.token(name).await
    }

    /// A token of the operator's app.
    pub(crate) async fn token(&self, name: &str) -> String {
        accounts::issue_token(&self.operator, name, READ_WRITE).await.expect("a known name").0
    }

    /// The responses of each server to a read with this token.
    pub(crate) async fn reads(&self, token: &str) -> Vec<RawResponse> {
        join_all(self.all.iter().map(|server| server.call(Method::GET, "/v1/account").token(token).send())).await
    }
}

/// Starts a server. All have the same address for travellers and apps.
async fn serve(engine: &Engine, number: usize, front: &str, flags: &[&str]) -> Program {
    let address = free_address();
    let serve = ["serve", "--listen", &address, "--base-url", front, PATIENT[0], PATIENT[1]];
    let mut command = command(words(engine, &[&serve, flags].concat()));
    command.stderr(File::create(log_file(engine, number)).expect("a file"));
    Program::start(command).await
}

fn log_file(engine: &Engine, number: usize) -> PathBuf {
    engine.file(&format!("server-{number}.log"))
}

/// A service without a listener.
pub(crate) async fn operator(engine: &Engine) -> Service {
    let storage = Storage { data: engine.data().to_owned(), database_url: Some(engine.url()), ..Storage::default() };
    let store = serve::open_store(&storage).await.expect("a database");
    store.migrate().await.expect("the schema can be made");
    let key = itinerary_server::server_key::load(&storage, &store, &SystemRandom).await.expect("a key");
    let mut config = Config::new(SocketAddr::from(([127, 0, 0, 1], 1)));
    config.password_cost = HashingCost::LEAST;
    let service = serve::service(&storage, store, config, key, Arc::new(SystemClock), Arc::new(SystemRandom));
    service.expect("a service")
}

/// Passes each connection to the next server.
async fn round_robin(listener: TcpListener, servers: Vec<SocketAddr>) {
    let mut connections = JoinSet::new();
    for server in servers.iter().cycle() {
        let Ok((mut client, _)) = listener.accept().await else { return };
        let server = *server;
        connections.spawn(async move {
            if let Ok(mut server) = TcpStream::connect(server).await {
                // Either side may end the connection.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            }
        });
        while connections.try_join_next().is_some() {}
    }
}
