//! An OpenID Connect provider on loopback that signs real tokens, and misbehaves as the test says.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::clock::Clock as _;
use itinerary_platform::settings::{OidcProvider, OidcSecret};
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey};
use openssl::ecdsa::EcdsaSig;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sha::sha256;
use openssl::sign::Signer;
use reqwest::Url;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::world::TestClock;

/// The client that the provider knows.
pub const CLIENT: &str = "trips";
/// Its secret, with characters that HTTP Basic must encode.
pub const SECRET: &str = "s3cret: %&é";

/// The keys of all providers. `RSA[1]` and `EC` are published only if the test says so.
static RSA: LazyLock<[PKey<Private>; 2]> =
    LazyLock::new(|| [(); 2].map(|()| PKey::from_rsa(Rsa::generate(2048).expect("a key")).expect("a key")));
static EC: LazyLock<EcKey<Private>> = LazyLock::new(|| {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a curve");
    EcKey::generate(&group).expect("a key")
});

/// How a provider misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trap {
    /// Tokens of another issuer.
    Issuer,
    /// Tokens with another nonce, or none.
    Nonce,
    NoNonce,
    /// Tokens for another client, alone or besides, or used by another one.
    Audience,
    MoreAudiences,
    AuthorisedParty,
    /// A signature by another key under the id of the published one.
    Signature,
    /// No signature, or an HMAC with the client's secret.
    Unsigned,
    Hmac,
    /// Tokens of a key that is published nowhere.
    UnknownKey,
    Expired,
    FromTheFuture,
    /// Made an hour ago, and still valid.
    Old,
    NoIdToken,
    NoSubject,
    /// The token endpoint, or discovery, takes longer than anyone waits.
    Slow,
    SlowDiscovery,
    /// A response that does not end.
    Huge,
    HugeDiscovery,
    /// Redirects instead of responses.
    Redirect,
    Fails,
    NotJson,
    /// Metadata that names another issuer.
    OtherMetadata,
}

/// Somebody with an account at the provider.
#[derive(Clone, Debug)]
pub struct Person {
    pub subject: String,
    pub username: Option<String>,
    pub email: Option<(String, bool)>,
    /// How long ago the person entered a password there; `None` if the provider does not say.
    pub signed_in_ago: Option<TimeDelta>,
}

impl Person {
    pub fn new(subject: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            username: Some(subject.to_owned()),
            email: None,
            signed_in_ago: Some(TimeDelta::seconds(2)),
        }
    }
}

struct Code {
    person: Person,
    redirect: String,
    nonce: String,
    challenge: String,
}

#[derive(Default)]
struct State {
    traps: HashSet<Trap>,
    codes: HashMap<String, Code>,
    /// The parameters of the last authorisation request.
    asked: HashMap<String, String>,
    /// Whether tokens are signed with the second key, which is then published.
    rotated: bool,
    elliptic: bool,
    /// How often discovery was requested.
    discoveries: usize,
    next: usize,
}

/// A provider, which ends with the test.
pub struct IdentityServer {
    pub issuer: String,
    state: Arc<Mutex<State>>,
    clock: Arc<OnceLock<Arc<TestClock>>>,
    _task: JoinSet<()>,
}

impl IdentityServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let (state, clock) = (Arc::<Mutex<State>>::default(), Arc::<OnceLock<Arc<TestClock>>>::default());
        let own = Responder { issuer: issuer.clone(), state: Arc::clone(&state), clock: Arc::clone(&clock) };
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(respond(connection, own.clone()));
            }
        });
        Self { issuer, state, clock, _task: task }
    }

    /// Tells the time by this clock.
    pub fn follow(&self, clock: &Arc<TestClock>) {
        assert!(self.clock.set(Arc::clone(clock)).is_ok(), "it follows a clock already");
    }

    /// The settings of a server that knows this provider.
    pub fn settings(&self, slug: &str) -> OidcProvider {
        OidcProvider {
            slug: slug.to_owned(),
            name: slug.to_uppercase(),
            issuer: self.issuer.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: OidcSecret::Text(SECRET.to_owned()),
            email_domains: Vec::new(),
            create_accounts: true,
        }
    }

    /// Misbehaves in this way only, or not at all.
    pub fn trap(&self, trap: Option<Trap>) {
        self.state().traps = trap.into_iter().collect();
    }

    /// Signs with another key from now on, and publishes it too.
    pub fn rotate(&self) {
        self.state().rotated = true;
    }

    /// Signs with ES256 from now on, and publishes that key too.
    pub fn use_elliptic_curve(&self) {
        self.state().elliptic = true;
    }

    pub fn discoveries(&self) -> usize {
        self.state().discoveries
    }

    /// A parameter of the last authorisation request, or an empty string.
    pub fn asked(&self, name: &str) -> String {
        self.state().asked.get(name).cloned().unwrap_or_default()
    }

    /// Signs a person in who came with this address. Returns where the browser is sent.
    #[track_caller]
    pub fn sign_in(&self, address: &Url, person: &Person) -> Url {
        assert!(address.as_str().starts_with(&format!("{}/authorise?", self.issuer)), "{address}");
        let asked: HashMap<String, String> = address.query_pairs().into_owned().collect();
        let get = |name: &str| asked.get(name).cloned().unwrap_or_default();
        assert_eq!((&*get("response_type"), &*get("client_id")), ("code", CLIENT), "{address}");
        assert_eq!(get("code_challenge_method"), "S256", "{address}");
        assert!(get("scope").split(' ').any(|scope| scope == "openid"), "{address}");
        assert!(get("nonce").len() >= 43 && !get("state").is_empty(), "{address}");
        let redirect = get("redirect_uri");
        let mut state = self.state();
        state.next += 1;
        let code = format!("code-{}", state.next);
        let (nonce, challenge) = (get("nonce"), get("code_challenge"));
        let granted = Code { person: person.clone(), redirect: redirect.clone(), nonce, challenge };
        state.codes.insert(code.clone(), granted);
        let mut back = Url::parse(&redirect).expect("an address");
        back.query_pairs_mut().extend_pairs([("code", &*code), ("state", &*get("state")), ("iss", &*self.issuer)]);
        state.asked = asked;
        back
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds the state")
    }
}

#[derive(Clone)]
struct Responder {
    issuer: String,
    state: Arc<Mutex<State>>,
    clock: Arc<OnceLock<Arc<TestClock>>>,
}

/// Longer than the server waits.
const SLOW: Duration = Duration::from_secs(20);

async fn respond(mut connection: TcpStream, own: Responder) {
    let Some((path, head, body)) = request(&mut connection).await else { return };
    let traps = own.state().traps.clone();
    let is_discovery = path != "/token";
    let has = |trap| traps.contains(&trap);
    if has(if is_discovery { Trap::SlowDiscovery } else { Trap::Slow }) {
        tokio::time::sleep(SLOW).await;
    }
    let (status, content) = match &*path {
        _ if has(Trap::Fails) => ("500 No", json!({ "error": "server_error" })),
        _ if has(Trap::Redirect) => ("302 Found", json!({})),
        "/.well-known/openid-configuration" => ("200 OK", own.metadata(has(Trap::OtherMetadata))),
        "/keys" => ("200 OK", own.keys()),
        "/token" => own.token(&head, &body, &traps),
        _ => ("404 Not Found", json!({})),
    };
    let mut content = content.to_string();
    if has(Trap::NotJson) {
        "<html>Welcome".clone_into(&mut content);
    }
    if has(if is_discovery { Trap::HugeDiscovery } else { Trap::Huge }) {
        content += &" ".repeat(300_000);
    }
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nLocation: /elsewhere\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n",
        content.len()
    );
    // A client that has read enough closes the connection.
    let _ = connection.write_all((head + &content).as_bytes()).await;
    let _ = connection.shutdown().await;
}

/// The path, the head and the body of a request.
async fn request(connection: &mut TcpStream) -> Option<(String, String, String)> {
    let mut read = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let length = connection.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
        read.extend_from_slice(&chunk[..length]);
        let text = String::from_utf8_lossy(&read).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let mut lengths =
            head.lines().filter_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= lengths.next_back().unwrap_or(0) {
            let path = head.split(' ').nth(1)?.to_owned();
            return Some((path, head.to_owned(), body.to_owned()));
        }
    }
}

impl Responder {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds the state")
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.get().map_or_else(|| "2027-01-10T12:00:00Z".parse().expect("a time"), |clock| clock.now())
    }

    fn metadata(&self, other: bool) -> Value {
        self.state().discoveries += 1;
        let issuer = &self.issuer;
        json!({
            "issuer": if other { "http://127.0.0.1:1" } else { issuer },
            "authorization_endpoint": format!("{issuer}/authorise"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/keys"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
            "authorization_response_iss_parameter_supported": true,
        })
    }

    fn keys(&self) -> Value {
        let state = self.state();
        let rsa = |index: usize| {
            let key = RSA[index].rsa().expect("an RSA key");
            let [n, e] = [key.n(), key.e()].map(|number| URL_SAFE_NO_PAD.encode(number.to_vec()));
            json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": format!("rsa-{index}"), "n": n, "e": e })
        };
        let mut keys = vec![rsa(0)];
        if state.rotated {
            keys.push(rsa(1));
        }
        if state.elliptic {
            let (mut x, mut y) = (BigNum::new().expect("a number"), BigNum::new().expect("a number"));
            let mut context = BigNumContext::new().expect("a context");
            EC.public_key().affine_coordinates(EC.group(), &mut x, &mut y, &mut context).expect("a point");
            let [x, y] = [x, y].map(|number| URL_SAFE_NO_PAD.encode(number.to_vec_padded(32).expect("32 bytes")));
            keys.push(json!({ "kty": "EC", "use": "sig", "crv": "P-256", "kid": "ec", "x": x, "y": y }));
        }
        json!({ "keys": keys })
    }

    /// Redeems a code, as a strict provider does.
    fn token(&self, head: &str, body: &str, traps: &HashSet<Trap>) -> (&'static str, Value) {
        let sent = pairs(body);
        let get = |name: &str| sent.get(name).map(String::as_str).unwrap_or_default();
        let code = self.state().codes.remove(get("code"));
        let refused = |error: &str| ("400 Bad Request", json!({ "error": error }));
        if !is_client(head) {
            return ("401 Unauthorized", json!({ "error": "invalid_client" }));
        }
        let Some(code) = code.filter(|code| get("redirect_uri") == code.redirect) else {
            return refused("invalid_grant");
        };
        let challenge = URL_SAFE_NO_PAD.encode(sha256(get("code_verifier").as_bytes()));
        if get("grant_type") != "authorization_code" || challenge != code.challenge {
            return refused("invalid_grant");
        }
        let mut response = json!({ "access_token": "secret-access", "token_type": "Bearer", "expires_in": 60 });
        if !traps.contains(&Trap::NoIdToken) {
            response["id_token"] = self.id_token(&code, traps).into();
        }
        ("200 OK", response)
    }

    fn id_token(&self, code: &Code, traps: &HashSet<Trap>) -> String {
        let has = |trap| traps.contains(&trap);
        let now = self.now().timestamp();
        let person = &code.person;
        let mut claims = json!({
            "iss": self.issuer,
            "sub": person.subject,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": code.nonce,
        });
        if let Some(username) = &person.username {
            claims["preferred_username"] = username.clone().into();
            claims["name"] = format!("{username} of the provider").into();
        }
        if let Some((email, verified)) = &person.email {
            claims["email"] = email.clone().into();
            claims["email_verified"] = (*verified).into();
        }
        if let Some(ago) = person.signed_in_ago {
            claims["auth_time"] = (now - ago.num_seconds()).into();
        }
        let mut set = |name: &str, value: Value| claims[name] = value;
        for trap in traps {
            match trap {
                Trap::Issuer => set("iss", "http://127.0.0.1:1".into()),
                Trap::Nonce => set("nonce", "another".into()),
                Trap::NoNonce => set("nonce", Value::Null),
                Trap::Audience => set("aud", json!(["another"])),
                Trap::MoreAudiences => set("aud", json!([CLIENT, "another"])),
                Trap::AuthorisedParty => set("azp", "another".into()),
                Trap::Expired => set("exp", now.into()),
                Trap::FromTheFuture => set("iat", (now + 120).into()),
                Trap::Old => set("iat", (now - 3600).into()),
                Trap::NoSubject => set("sub", "".into()),
                _ => {}
            }
        }
        let (rotated, elliptic) = {
            let state = self.state();
            (state.rotated, state.elliptic)
        };
        let (algorithm, id) = match (rotated, elliptic) {
            _ if has(Trap::Unsigned) => ("none", "rsa-0"),
            _ if has(Trap::Hmac) => ("HS256", "rsa-0"),
            _ if has(Trap::UnknownKey) => ("RS256", "nowhere"),
            (_, true) => ("ES256", "ec"),
            (true, false) => ("RS256", "rsa-1"),
            (false, false) => ("RS256", "rsa-0"),
        };
        let header = json!({ "alg": algorithm, "kid": id, "typ": "JWT" });
        let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encoded(&header), encoded(&claims));
        let own = &RSA[usize::from(rotated || has(Trap::Signature) || has(Trap::UnknownKey))];
        let signature = match algorithm {
            "none" => Vec::new(),
            "HS256" => signature(&PKey::hmac(SECRET.as_bytes()).expect("a key"), &signed),
            "ES256" => {
                let made = EcdsaSig::sign(&sha256(signed.as_bytes()), &EC).expect("a signature");
                [made.r(), made.s()].map(|number| number.to_vec_padded(32).expect("32 bytes")).concat()
            }
            _ => signature(own, &signed),
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn signature(key: &PKey<Private>, text: &str) -> Vec<u8> {
    let mut signer = Signer::new(MessageDigest::sha256(), key).expect("a signer");
    signer.sign_oneshot_to_vec(text.as_bytes()).expect("a signature")
}

/// The fields of a form.
fn pairs(form: &str) -> HashMap<String, String> {
    let address = Url::parse(&format!("http://form.example/?{form}")).expect("a form");
    address.query_pairs().into_owned().collect()
}

/// Whether the request authenticates the client by HTTP Basic, with both parts encoded as in a form (RFC 6749, 2.3.1).
fn is_client(head: &str) -> bool {
    let sent = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("authorization").then(|| value.strip_prefix("Basic "))?
    });
    let Some(plain) = sent.and_then(|sent| STANDARD.decode(sent).ok()).and_then(|it| String::from_utf8(it).ok()) else {
        return false;
    };
    let decoded = |part: &str| pairs(&format!("x={part}")).remove("x");
    plain.split_once(':').is_some_and(|(id, secret)| {
        decoded(id).as_deref() == Some(CLIENT) && decoded(secret).as_deref() == Some(SECRET)
    })
}
