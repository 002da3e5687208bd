//! What pages have around their content: titles, who is signed in, why one must sign in, and files of fixed names.

use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};
use reqwest::Method;

use super::App;

#[api_test]
async fn sign_in_says_what_it_is_for(world: World) {
    let browser = Browser::new(&world);
    for (path, words) in [
        ("/trips", "Sign in to see your trips."),
        ("/trips/0190b5a0-0000-4000-8000-00000000c0de", "You are signing in to see a trip."),
        ("/account/calendar", "Sign in to turn your calendar address on or off."),
        ("/account/invitations", "Sign in to see your invitations."),
    ] {
        let page = browser.visit(path).await;
        assert_eq!(page.address.path(), "/sign-in", "{path}");
        page.assert_says(words);
        page.assert_says("Forgot your password? Ask the person who runs this service for a link to set a new one.");
    }
    assert!(!browser.visit("/sign-in").await.text().contains("class=\"lead\""));
    browser.visit("/sign-up").await.assert_says("only the operator can give you a new one");
}

#[api_test]
async fn error_pages_show_who_is_signed_in(world: World) {
    let (ana, nobody) = (Browser::signed_up(&world, "ana").await, Browser::new(&world));
    let header = "<span class=\"viewer\">ana</span>";
    let unknown = App::public(&world).await.authorise_with(&[("client_id", "app_unknown")]);
    for path in ["/nowhere", "/account/nowhere", "/documents/AAAA.AAAA", "/oauth/token", &unknown] {
        let page = ana.visit(path).await;
        assert!(page.response.status.is_client_error(), "{path}");
        page.assert_says(header);
        page.assert_says("<a href=\"/trips\">Trips</a>");
        assert!(!nobody.visit(path).await.text().contains("class=\"viewer\""), "{path}");
    }
    nobody.plant("session=unknown");
    assert!(!nobody.visit("/nowhere").await.text().contains("class=\"viewer\""));
}

#[api_test]
async fn favicon_and_robots_are_served(world: World) {
    let icon = world.call(Method::GET, "/favicon.ico").send().await;
    assert_eq!((icon.status.as_u16(), icon.header("location")), (301, "/icon.svg"));
    let robots = world.call(Method::GET, "/robots.txt").send().await;
    assert_eq!((robots.status.as_u16(), robots.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert_eq!(robots.header("cache-control"), "public, max-age=3600");
    let rules = robots.text();
    for path in ["/account", "/oauth/", "/sign-in", "/v1/"] {
        assert!(rules.contains(&format!("\nDisallow: {path}\n")), "{path}");
    }
    assert!(
        rules.starts_with("User-agent: *\n") && !rules.contains("Disallow: /trips"),
        "pages say noindex themselves"
    );
}

#[api_test]
async fn titles_name_the_service(world: World) {
    let browser = Browser::new(&world);
    for (path, title) in [("/sign-in", "Sign in"), ("/sign-up", "Create an account"), ("/nowhere", "Page not found")] {
        browser.visit(path).await.assert_says(&format!("<title>{title} · Itinerary Planning Service</title>"));
    }
}
