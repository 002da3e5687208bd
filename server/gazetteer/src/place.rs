//! Places and their classes.

/// The class of a place: a stop category of the API, or a city.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A populated place of any size.
    City,
    Airport,
    /// A castle, monument, square, bridge, tower, ruin or street.
    Landmark,
    /// A museum or gallery.
    Museum,
    /// A place of worship.
    Religious,
    /// A park or garden.
    Park,
    /// A mountain, waterfall, cave, lake or cliff.
    Nature,
    /// A viewpoint.
    Viewpoint,
    Beach,
    Market,
    /// A shopping street or mall.
    Shopping,
    /// A theatre, opera house, zoo, aquarium or theme park.
    Entertainment,
    /// A stadium or other place for sport.
    Sport,
    /// A spa or bath.
    Wellness,
    /// A railway station, bus station or ferry terminal.
    Station,
    Hike,
    Restaurant,
    Cafe,
    Bar,
    /// Something to do.
    Activity,
    /// A hotel or other lodging.
    Lodging,
    /// None of the others.
    Other,
}

impl Class {
    pub const ALL: [Self; 22] = [
        Self::City,
        Self::Airport,
        Self::Landmark,
        Self::Museum,
        Self::Religious,
        Self::Park,
        Self::Nature,
        Self::Viewpoint,
        Self::Beach,
        Self::Market,
        Self::Shopping,
        Self::Entertainment,
        Self::Sport,
        Self::Wellness,
        Self::Station,
        Self::Hike,
        Self::Restaurant,
        Self::Cafe,
        Self::Bar,
        Self::Activity,
        Self::Lodging,
        Self::Other,
    ];

    /// The class's name in the API and in files, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::City => "city",
            Self::Airport => "airport",
            Self::Landmark => "landmark",
            Self::Museum => "museum",
            Self::Religious => "religious",
            Self::Park => "park",
            Self::Nature => "nature",
            Self::Viewpoint => "viewpoint",
            Self::Beach => "beach",
            Self::Market => "market",
            Self::Shopping => "shopping",
            Self::Entertainment => "entertainment",
            Self::Sport => "sport",
            Self::Wellness => "wellness",
            Self::Station => "station",
            Self::Hike => "hike",
            Self::Restaurant => "restaurant",
            Self::Cafe => "cafe",
            Self::Bar => "bar",
            Self::Activity => "activity",
            Self::Lodging => "lodging",
            Self::Other => "other",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Whether the class is a sight: not a city, an airport, a lodging or `Other`.
    pub const fn is_sight(self) -> bool {
        !matches!(self, Self::City | Self::Airport | Self::Lodging | Self::Other)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The id, stable across versions of the data: `geonames:2267057`, `iata:LIS`, `sight:PT/lisbon/belem-tower`.
    pub id: String,
    pub class: Class,
    /// The names, at least one; the first is for display.
    pub names: Vec<String>,
    /// Degrees north, -90 to 90.
    pub latitude: f64,
    /// Degrees east, -180 to 180.
    pub longitude: f64,
    /// ISO 3166-1 alpha-2 code of the country, or XK for Kosovo.
    pub country: String,
    /// IANA time zone; empty if the source has none.
    pub time_zone: String,
    /// Inhabitants; 0 if unknown or not a populated place.
    pub population: u32,
    /// An airport's IATA code.
    pub code: Option<String>,
}

impl Place {
    /// Latitude and longitude.
    pub const fn point(&self) -> (f64, f64) {
        (self.latitude, self.longitude)
    }
}

/// The great-circle distance between two (latitude, longitude) pairs.
pub fn distance_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    const MEAN_DIAMETER_KM: f64 = 12_742.0;
    let half_chord = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let across = a.0.to_radians().cos() * b.0.to_radians().cos() * half_chord(b.1 - a.1);
    MEAN_DIAMETER_KM * (half_chord(b.0 - a.0) + across).min(1.0).sqrt().asin()
}
