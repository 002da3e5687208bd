//! The travellers of a run, and the apps that act for them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::{join_all, try_join_all};
use reqwest::Method;
use serde_json::Value;
use tokio::sync::{Mutex, OnceCell, OwnedMutexGuard};

use crate::Options;
use crate::call::Call;
use crate::outcome::{Checked, Stop};
use crate::service::Service;
use crate::sign_in::{Client, EVERY_SCOPE, Traveller};

/// The number of travellers that are signed up: enough that rate limits, which count for each traveller and client,
/// rarely require waiting, and below the limit of sign-ups for an address.
const TRAVELLERS: usize = 6;
/// The number of travellers that the rows need at least.
const ENOUGH: usize = 2;

/// An access token and the account that it acts for.
#[derive(Clone)]
pub struct App {
    service: Arc<Service>,
    pub account_id: String,
    pub username: String,
    pub token: String,
    /// Requests so far, weighted by how soon they reach a rate limit.
    load: Arc<AtomicUsize>,
}

/// The travellers of a run.
pub struct Travellers {
    service: Arc<Service>,
    /// Ordinary apps.
    apps: Vec<App>,
    /// Apps of travellers with Pro.
    pro: Vec<App>,
    /// Signed up for this run, in the order of their first apps.
    pub signed_up: Vec<Traveller>,
    /// Registered for this run: a public client, then a confidential one.
    pub clients: Vec<Client>,
    /// Apps with fewer scopes, by scope.
    scoped: Mutex<HashMap<String, App>>,
    /// A traveller for checks whose effects on an account last.
    newcomer: OnceCell<(Traveller, App)>,
    /// Held by checks that follow people or rely on who follows whom.
    follows: Arc<Mutex<()>>,
}

impl App {
    /// The app with this token.
    pub(crate) async fn of(service: &Arc<Service>, token: &str) -> Checked<Self> {
        let response = Call::new(service, Method::GET, "/v1/account").token(token).send().await?;
        let account = response.json_with(200)?;
        Ok(Self::new(service, token, &account))
    }

    fn new(service: &Arc<Service>, token: &str, account: &Value) -> Self {
        let text = |name: &str| account[name].as_str().unwrap_or_default().to_owned();
        Self {
            service: Arc::clone(service),
            account_id: text("accountId"),
            username: text("username"),
            token: token.to_owned(),
            load: Arc::default(),
        }
    }

    /// A request with this app's token.
    pub fn call(&self, method: Method, path: &str) -> Call {
        // Explore has a quarter of the reads, and writes have half.
        let load = match method {
            Method::POST if path.ends_with("/documents") => 12,
            Method::GET if path.starts_with("/v1/explore") => 4,
            Method::GET => 1,
            _ => 2,
        };
        self.load.fetch_add(load, Ordering::Relaxed);
        Call::new(&self.service, method, path).token(&self.token)
    }

    pub fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path)
    }

    pub fn post(&self, path: &str, body: &Value) -> Call {
        self.call(Method::POST, path).json(body)
    }

    pub fn put(&self, path: &str) -> Call {
        self.call(Method::PUT, path)
    }

    pub fn patch(&self, path: &str, body: &Value) -> Call {
        self.call(Method::PATCH, path).json(body)
    }

    pub fn delete(&self, path: &str) -> Call {
        self.call(Method::DELETE, path)
    }
}

impl Travellers {
    /// Signs travellers up, or uses the tokens that were given.
    pub(crate) async fn gather(service: &Arc<Service>, options: &Options) -> Checked<Self> {
        let mut travellers = Self {
            service: Arc::clone(service),
            apps: Vec::new(),
            pro: Vec::new(),
            signed_up: Vec::new(),
            clients: Vec::new(),
            scoped: Mutex::default(),
            newcomer: OnceCell::new(),
            follows: Arc::default(),
        };
        let gathered = travellers.fill(options).await;
        if gathered.is_err() {
            travellers.leave().await;
        }
        gathered.map(|()| travellers)
    }

    async fn fill(&mut self, options: &Options) -> Checked {
        let service = Arc::clone(&self.service);
        let with_tokens = |tokens: &[String]| {
            let service = Arc::clone(&service);
            let tokens = tokens.to_vec();
            async move { try_join_all(tokens.iter().map(|token| App::of(&service, token))).await }
        };
        if options.paused {
            // Nothing says whose tokens they are.
            self.apps = options.tokens.iter().map(|token| App::new(&service, token, &Value::Null)).collect();
            return Ok(());
        }
        self.pro = with_tokens(&options.pro_tokens).await?;
        if !options.tokens.is_empty() {
            let tokens: Vec<String> = options.tokens.iter().chain(&options.second_tokens).cloned().collect();
            self.apps = with_tokens(&tokens).await?;
            return Ok(());
        }
        self.clients.push(Client::register(&service, "Conformance tests (public)", true).await?);
        self.clients.push(Client::register(&service, "Conformance tests (confidential)", false).await?);
        let mut refused = None;
        for traveller in join_all((0..TRAVELLERS).map(|_| Traveller::sign_up(&service))).await {
            match traveller {
                Ok(traveller) => self.signed_up.push(traveller),
                Err(stop) => refused = Some(stop),
            }
        }
        if let Some(stop) = refused {
            if self.signed_up.len() < ENOUGH {
                return Err(stop);
            }
            eprintln!(
                "Only {} of {TRAVELLERS} travellers could sign up: more waiting for rate limits",
                self.signed_up.len()
            );
        }
        for client in &self.clients {
            let service = &service;
            let token = |traveller| async move {
                App::of(service, &client.token(service, traveller, EVERY_SCOPE).await?).await
            };
            self.apps.extend(try_join_all(self.signed_up.iter().map(token)).await?);
        }
        Ok(())
    }

    /// The least used app of a traveller who is none of these.
    pub fn other_than(&self, others: &[&App]) -> Checked<App> {
        let is_other = |app: &&App| others.iter().all(|other| other.account_id != app.account_id);
        let least = self.apps.iter().filter(is_other).min_by_key(|app| app.load.load(Ordering::Relaxed));
        let app = least.ok_or_else(|| Stop::skipped("needs another traveller: give --second-token"))?;
        // Rows that start at the same time should not all take the same one.
        app.load.fetch_add(2, Ordering::Relaxed);
        Ok(app.clone())
    }

    /// The least used app of a traveller with Pro who is none of these.
    pub fn pro(&self, others: &[&App]) -> Checked<App> {
        let is_other = |app: &&App| others.iter().all(|other| other.account_id != app.account_id);
        let least = self.pro.iter().filter(is_other).min_by_key(|app| app.load.load(Ordering::Relaxed));
        let app = least.ok_or_else(|| Stop::skipped("needs a traveller with Pro: give --pro-token"))?;
        app.load.fetch_add(2, Ordering::Relaxed);
        Ok(app.clone())
    }

    /// Another app of the same traveller, which uses another client.
    pub fn another_client(&self, app: &App) -> Checked<App> {
        let other = self.apps.iter().find(|other| other.account_id == app.account_id && other.token != app.token);
        let reason = "needs tokens of two clients for one traveller: give two --token of one traveller";
        other.cloned().ok_or_else(|| Stop::skipped(reason))
    }

    /// The app whose rate limits checks may exhaust.
    pub fn for_limits(&self) -> Checked<App> {
        self.apps.last().cloned().ok_or_else(|| Stop::skipped("needs --token"))
    }

    /// An app of a traveller limited to these scopes, and an app of the same traveller with every scope.
    pub async fn scoped(&self, scope: &str) -> Checked<(App, App)> {
        let (Some(traveller), Some(client)) = (self.signed_up.first(), self.clients.first()) else {
            return Err(Stop::skipped("needs a token with fewer scopes, which only signing up gives"));
        };
        let mut scoped = self.scoped.lock().await;
        let full = &self.apps[0];
        if !scoped.contains_key(scope) {
            let token = client.token(&self.service, traveller, scope).await?;
            // Without the scope for reading, the token cannot read whose it is.
            let app = App { token, load: Arc::default(), ..full.clone() };
            scoped.insert(scope.to_owned(), app);
        }
        Ok((scoped[scope].clone(), full.clone()))
    }

    /// An app of a further traveller, for checks whose effects on an account last.
    pub async fn newcomer(&self) -> Checked<App> {
        let Some(client) = self.clients.first() else {
            return Err(Stop::skipped("changes an account for good, so it needs one that is signed up"));
        };
        let newcomer = self.newcomer.get_or_try_init(|| async {
            let traveller = Traveller::sign_up(&self.service).await?;
            let token = client.token(&self.service, &traveller, EVERY_SCOPE).await?;
            let app = App::of(&self.service, &token).await?;
            Ok((traveller, app))
        });
        newcomer.await.map(|(_, app)| app.clone())
    }

    /// While it is held, no other check changes who follows whom.
    pub async fn follows(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.follows).lock_owned().await
    }

    /// Deletes what the run created: the accounts, or the itineraries where tokens were given. Returns what remains.
    pub(crate) async fn leave(&self) -> Vec<String> {
        let mut remain = Vec::new();
        let travellers: Vec<&Traveller> =
            self.signed_up.iter().chain(self.newcomer.get().map(|(traveller, _)| traveller)).collect();
        let deleted = join_all(travellers.iter().map(|traveller| traveller.delete())).await;
        for (traveller, _) in travellers.iter().zip(deleted).filter(|(_, deleted)| deleted.is_err()) {
            remain.push(format!("the account {}", traveller.username));
        }
        let newcomer = self.newcomer.get().map(|(_, app)| app);
        let own: Vec<&str> = self.apps.iter().chain(newcomer).map(|app| &*app.token).collect();
        let made = self.service.made().into_iter();
        // Deleting an account deletes its itineraries.
        for (token, id) in made.filter(|(token, _)| self.signed_up.is_empty() || !own.contains(&&**token)) {
            let call = Call::new(&self.service, Method::DELETE, &format!("/v1/itineraries/{id}"));
            let deleted = call.token(&token).if_match("*").send().await;
            if !deleted.is_ok_and(|response| matches!(response.status, 204 | 401 | 404)) {
                remain.push(format!("the itinerary {id}"));
            }
        }
        remain.extend(self.service.registered().iter().map(|id| format!("the client {id}")));
        remain
    }
}
