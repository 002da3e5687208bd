//! Whether a page's maps show streets. Their tiles come from a map service, which then sees the reader's address and the
//! area of the map.

use itinerary_api::types::Visibility;
use itinerary_export::html::{StreetMap, Streets};
use itinerary_platform::settings::MapSettings;

/// A page with maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapPage {
    /// The page of an itinerary.
    Trip(Visibility),
    /// A page under `/t/`, whose address is a secret.
    SecretLink,
    /// An exported document, which is read on other machines and without a policy.
    Document,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    Always,
    /// After the reader has followed a link that says who sees them.
    OnRequest,
    Never,
}

/// Everybody may know where a public itinerary leads, so its map service learns nothing but that somebody reads it.
const fn permission(page: MapPage) -> Permission {
    match page {
        MapPage::Trip(Visibility::Public) => Permission::Always,
        MapPage::Trip(Visibility::Private | Visibility::Followers | Visibility::Unlisted) => Permission::OnRequest,
        MapPage::SecretLink | MapPage::Document => Permission::Never,
    }
}

/// What the maps of a page show, by the settings. `is_requested` is whether the reader has followed the link to streets.
pub fn streets(settings: &MapSettings, page: MapPage, is_requested: bool) -> Streets<'_> {
    let (Some(tiles), Some(attribution)) = (&settings.tiles, &settings.attribution) else { return Streets::Off };
    let map = StreetMap { template: tiles.as_str(), attribution, link: settings.attribution_link.as_deref() };
    let host = tiles.host();
    match (permission(page), is_requested) {
        (Permission::Always, _) => Streets::Shown(map),
        (Permission::OnRequest, true) => Streets::Chosen { host, map },
        (Permission::OnRequest, false) => Streets::Offered { host },
        (Permission::Never, _) => Streets::Off,
    }
}

#[cfg(test)]
mod tests {
    use itinerary_platform::settings::TileTemplate;

    use super::*;

    fn with_tiles() -> MapSettings {
        MapSettings {
            tiles: Some(TileTemplate::parse("https://tile.example/{z}/{x}/{y}.png").expect("a template")),
            attribution: Some("© Tile".to_owned()),
            attribution_link: None,
        }
    }

    #[test]
    fn only_public_pages_show_streets_unasked_and_secret_ones_never() {
        let settings = with_tiles();
        let shown = |page, is_requested| match streets(&settings, page, is_requested) {
            Streets::Off => "off",
            Streets::Offered { host: "tile.example" } => "offered",
            Streets::Chosen { host: "tile.example", .. } => "chosen",
            Streets::Shown(_) => "shown",
            other => panic!("{other:?}"),
        };
        for (page, unasked, asked) in [
            (MapPage::Trip(Visibility::Public), "shown", "shown"),
            (MapPage::Trip(Visibility::Unlisted), "offered", "chosen"),
            (MapPage::Trip(Visibility::Followers), "offered", "chosen"),
            (MapPage::Trip(Visibility::Private), "offered", "chosen"),
            (MapPage::SecretLink, "off", "off"),
            (MapPage::Document, "off", "off"),
        ] {
            assert_eq!((shown(page, false), shown(page, true)), (unasked, asked), "{page:?}");
        }
    }

    #[test]
    fn without_tiles_or_attribution_there_are_no_streets() {
        let no_tiles = MapSettings { tiles: None, ..with_tiles() };
        let no_attribution = MapSettings { attribution: None, ..with_tiles() };
        for settings in [MapSettings::default(), no_tiles, no_attribution] {
            let streets = streets(&settings, MapPage::Trip(Visibility::Public), true);
            assert!(matches!(streets, Streets::Off), "{streets:?}");
        }
    }
}
