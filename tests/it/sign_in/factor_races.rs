//! Concurrent use of codes and challenges: one of 24 is first, on one server or two.

use futures::future::join_all;
use itinerary_tests::authenticator::{self, Authenticator, options};
use itinerary_tests::browser::Browser;
use itinerary_tests::raw::Call;
use itinerary_tests::{Database, World, api_test};
use reqwest::RequestBuilder;

use super::one_time_codes::{code_form, second_step, turn_on};
use super::passkeys::{self, added, count, start};

const AT_ONCE: usize = 24;

/// Sends the calls at once, half of them to the other server. Returns how many led on.
async fn winners(port: u16, calls: Vec<Call>) -> usize {
    let elsewhere = |call: Call| {
        let (client, request) = call.0.build_split();
        let mut request = request.expect("a request");
        request.url_mut().set_port(Some(port)).expect("an address with a port");
        Call(RequestBuilder::from_parts(client, request))
    };
    let either = |(n, call): (usize, Call)| if n.is_multiple_of(2) { call } else { elsewhere(call) };
    let responses = join_all(calls.into_iter().enumerate().map(either).map(Call::send)).await;
    for response in &responses {
        assert!([200, 303, 403, 409, 422].contains(&response.status.as_u16()), "{}", response.text());
    }
    responses.iter().filter(|response| response.status == 303).count()
}

// W-65: on two servers, one of many uses of the same one-time code, recovery code or response of a passkey succeeds.
#[api_test]
async fn one_of_many_concurrent_uses_of_a_factor_succeeds_on_two_servers(database: Database) {
    let Some(world) = start(database).await else { return };
    let replica = {
        let base_url = world.base_url.clone();
        world
            .replica_with(move |config| {
                base_url.clone_into(&mut config.base_url);
                config.limits = false;
            })
            .await
    };
    let port = replica.address.port();
    let ana = Browser::signed_up(&world, "ana").await;
    let codes = turn_on(&world, &ana).await;
    // Each from a browser of its own: a race of strangers, not of one browser.
    for code in [codes.code(&world, 0), codes.recovery[0].clone(), codes.code(&world, 1)] {
        let mut calls = Vec::new();
        for _ in 0..AT_ONCE {
            let browser = Browser::new(&world);
            let page = second_step(&browser, "ana").await;
            calls.push(browser.post(&code_form(&page), &[("code", &code)]));
        }
        assert_eq!(winners(port, calls).await, 1, "{code}");
    }

    let mut key = added(&world, &ana, "key").await;
    let browser = Browser::new(&world);
    let page = browser.visit("/sign-in").await;
    let credential = key.get(&options(&page, "get"));
    let form = authenticator::form(&page, "/sign-in");
    let calls = (0..AT_ONCE).map(|_| browser.post(&form, &[("credential", &credential)])).collect();
    assert_eq!(winners(port, calls).await, 1);

    // Copies of an authenticator with the same counter, in browsers of their own.
    let mut counting = Authenticator { counter: 1, ..Authenticator::at(&world.base_url) };
    let page = ana.visit(passkeys::PATH).await;
    let credential = counting.create(&options(&page, "create"));
    let form = authenticator::form(&page, passkeys::PATH);
    let calls = (0..AT_ONCE).map(|_| ana.post(&form, &[("name", "key"), ("credential", &credential)])).collect();
    assert_eq!(winners(port, calls).await, 1);
    assert_eq!(count(&world, "passkeys").await, "2");
    let mut calls = Vec::new();
    for _ in 0..AT_ONCE {
        let browser = Browser::new(&world);
        let page = browser.visit("/sign-in").await;
        let credential = counting.clone().get(&options(&page, "get"));
        calls.push(browser.post(&authenticator::form(&page, "/sign-in"), &[("credential", &credential)]));
    }
    assert_eq!(winners(port, calls).await, 1);
}

// Codes are turned on once, so that the recovery codes that were shown are the ones that are valid.
#[api_test(limits = false)]
async fn codes_are_turned_on_once(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let (page, code) = super::one_time_codes::ready(&world, &ana).await;
    let calls = (0..AT_ONCE).map(|_| ana.post(&page, &[("code", &code)]));
    let responses = join_all(calls.map(Call::send)).await;
    let shown = responses.iter().filter(|response| response.text().contains("shown only this once")).count();
    assert_eq!((shown, &*count(&world, "recovery_codes").await), (1, "10"));
}
