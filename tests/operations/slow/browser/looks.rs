//! The appearance of pages in light and dark, in desktop and phone windows. Nothing may be cut off, and axe-core may
//! report nothing.
//!
//! `ITINERARY_AXE` is the path of axe-core's `axe.min.js`. If `ITINERARY_PICTURES` names a folder, screenshots of every
//! page are stored there for review.

use std::path::Path;
use std::{env, fs};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::driver::{Chromium, is_required};

/// The sizes of the window.
pub(super) const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];

const SCHEMES: [&str; 2] = ["light", "dark"];

const RUN_AXE: &str = "
    const done = arguments[arguments.length - 1];
    const found = result => result.violations.map(rule => rule.id + ': ' + rule.nodes.map(node => node.html).join(' | '));
    axe.run(document, { preload: false, resultTypes: ['violations'] })
        .then(result => done(found(result)), error => done(['axe-core failed: ' + error]));
";

/// What is wider than the window.
const OVERFLOWING: &str = "return document.documentElement.scrollWidth > innerWidth";

/// Sets the size of the window and the colour scheme.
pub(super) async fn set(browser: &Chromium, (width, height): (u32, u32), scheme: &str) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
    browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
    let preferred = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
    browser.devtools("Emulation.setEmulatedMedia", preferred).await;
}

/// axe-core's source, if configured.
fn axe() -> Option<String> {
    let Some(file) = env::var_os("ITINERARY_AXE") else {
        assert!(!is_required(), "ITINERARY_REQUIRE_BROWSER=1, but ITINERARY_AXE is not set");
        eprintln!("not checked with axe-core: ITINERARY_AXE is not set");
        return None;
    };
    Some(fs::read_to_string(file).expect("axe-core can be read"))
}

/// Checks the current page in every look. `name` is the name of its screenshots.
pub(super) async fn check(browser: &Chromium, name: &str) {
    let axe = axe();
    if let Some(axe) = &axe {
        browser.run(axe).await;
    }
    for size @ (width, _) in SIZES {
        for scheme in SCHEMES {
            set(browser, size, scheme).await;
            let look = format!("{name}-{width}-{scheme}");
            keep_picture(browser, &look).await;
            assert_eq!(browser.run(OVERFLOWING).await, Value::Bool(false), "{look} is wider than its window");
            if axe.is_some() {
                assert_eq!(browser.run_async(RUN_AXE).await, json!([]), "axe-core about {look}");
            }
        }
    }
}

pub(super) async fn keep_picture(browser: &Chromium, look: &str) {
    let Some(folder) = env::var_os("ITINERARY_PICTURES") else { return };
    let picture = STANDARD.decode(browser.picture().await).expect("base64");
    fs::write(Path::new(&folder).join(format!("{look}.png")), picture).expect("a folder for pictures");
}
