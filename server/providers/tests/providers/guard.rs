//! Addresses that are not public are never called, in any notation in an untrusted URL.

use std::time::Duration;

use itinerary_providers::{Endpoint, Failure, Http, Images, Limiter, Nominatim, Openverse};
use itinerary_providers::{Geocoder, Point, Question};

use crate::stub::{Reply, Stub, USER_AGENT, endpoint, later, soon};

const QUESTION: Question<'_> = Question {
    name: "Belém",
    near: Point { latitude: 38.7, longitude: -9.1 },
    radius_km: 60.0,
    country: None,
    language: "en",
};

/// A provider whose only result is an image at a URL.
async fn provider_of(url: &str) -> Stub {
    let response = format!(r#"{{"results": [{{"license": "by", "url": "{url}"}}]}}"#);
    Stub::always(response).await
}

/// The result of a download from an untrusted URL.
async fn download(url: &str) -> Result<(), Failure> {
    let provider = provider_of(url).await;
    Openverse::new(provider.endpoint()).find("Lisbon", later()).await.map(|_| ())
}

#[tokio::test]
async fn no_spelling_of_a_private_address_is_called() {
    let victim = Stub::always("secret").await;
    let port = victim.address.port();
    let hosts = [
        "127.0.0.1",
        "127.0.0.1.",
        "0x7f.1",
        "0X7F.0.0.1",
        "0177.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "%31%32%37.0.0.1",
        "127。0。0。1",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
    ];
    for host in hosts {
        let result = download(&format!("http://{host}:{port}/")).await;
        assert!(matches!(result, Err(Failure::Refused(_))), "{host}: {result:?}");
    }
    assert!(victim.seen().is_empty());
}

#[tokio::test]
async fn well_known_private_addresses_are_refused() {
    let urls = [
        "http://169.254.169.254/latest/meta-data/",
        "https://169.254.169.254/",
        "http://10.0.0.1/",
        "http://172.16.0.1/",
        "http://192.168.0.1:8080/",
        "http://100.64.0.1/",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1]/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
    ];
    for url in urls {
        let result = download(url).await;
        assert!(matches!(result, Err(Failure::Refused(_))), "{url}: {result:?}");
    }
}

#[tokio::test]
async fn a_name_that_resolves_to_a_private_address_is_refused() {
    let victim = Stub::always("secret").await;
    let port = victim.address.port();
    for host in ["photos.example", "localhost", "metadata.google.internal", "photos.example."] {
        let result = download(&format!("http://{host}:{port}/")).await;
        let expected = Failure::Refused(format!("{host} is not a public host"));
        assert_eq!(result, Err(expected), "{host}");
    }
    assert!(victim.seen().is_empty());
}

#[tokio::test]
async fn other_schemes_and_credentials_are_refused() {
    let urls =
        ["file:///etc/passwd", "ftp://photos.example/", "data:image/png,x", "http://user:password@photos.example/"];
    for url in urls {
        let result = download(url).await;
        assert!(matches!(&result, Err(Failure::Refused(why)) if !why.contains("password@")), "{url}: {result:?}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let victim = Stub::always("[]").await;
    let provider = Stub::always(Reply::Redirect(victim.url())).await;
    let result = Nominatim::new(provider.endpoint()).search(&QUESTION, later()).await;
    assert_eq!(result, Err(Failure::Status(302)));
    assert!(victim.seen().is_empty());
    assert_eq!(provider.seen().len(), 1);
}

#[tokio::test]
async fn an_operators_host_may_be_private_and_another_port_of_it_is_not() {
    let victim = Stub::always("secret").await;
    // The same host as the provider's, which the operator trusts; another port.
    let provider = provider_of(&victim.url()).await;
    let result = Openverse::new(provider.endpoint()).find("Lisbon", later()).await;
    assert_eq!(result.map(|_| ()), Err(Failure::Refused("127.0.0.1 is not a public address".into())));
    assert_eq!(provider.seen().len(), 1, "the provider itself was called");
    assert!(victim.seen().is_empty());
}

#[tokio::test]
async fn an_operators_name_may_resolve_to_a_private_address() {
    let provider = Stub::always("[]").await;
    let named = endpoint(&format!("http://nominatim.internal:{}", provider.address.port()));
    assert_eq!(Nominatim::new(named).search(&QUESTION, later()).await, Ok(vec![]));
    assert_eq!(provider.only().header("host"), Some(&*format!("nominatim.internal:{}", provider.address.port())));
}

#[tokio::test]
async fn a_name_that_is_never_resolved_times_out() {
    let result = Nominatim::new(endpoint("http://hang.example")).search(&QUESTION, soon()).await;
    assert_eq!(result, Err(Failure::TimedOut));
}

#[tokio::test]
async fn names_are_resolved_by_the_operating_system_by_default() {
    let provider = Stub::always("[]").await;
    let http = Http::new(USER_AGENT).expect("a client");
    let base = format!("http://localhost:{}", provider.address.port());
    let endpoint = Endpoint::new(http.clone(), &base, Limiter::new(Duration::ZERO)).expect("an endpoint");
    assert_eq!(Nominatim::new(endpoint).search(&QUESTION, later()).await, Ok(vec![]));
    // The same name in an untrusted URL is rejected.
    let victim = Stub::always("secret").await;
    let provider = provider_of(&format!("http://localhost:{}/", victim.address.port())).await;
    let endpoint = Endpoint::new(http, &provider.url(), Limiter::new(Duration::ZERO)).expect("an endpoint");
    let result = Openverse::new(endpoint).find("Lisbon", later()).await;
    assert_eq!(result.map(|_| ()), Err(Failure::Refused("localhost is not a public host".into())));
    assert!(victim.seen().is_empty());
}

#[tokio::test]
async fn invalid_configuration_is_rejected() {
    assert!(Http::new("two\nlines").is_err());
    let http = Http::new(USER_AGENT).expect("a client");
    for base in ["", "nominatim.example", "/search", "ftp://nominatim.example", "file:///tmp", "http://"] {
        assert!(Endpoint::new(http.clone(), base, Limiter::new(Duration::ZERO)).is_err(), "{base}");
    }
}
