//! Quotas: how much an account may have.

use itinerary_store::Quotas;
use serde::Deserialize;

/// How much an account may have. A request beyond a quota answers `conflict`; what is there already stays.
#[derive(Clone, Copy, Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuotaSettings {
    /// How many itineraries an account may own, saved copies included. Default: 2000
    #[arg(long = "quota-itineraries", env = "ITINERARY_QUOTA_ITINERARIES", value_name = "NUMBER")]
    pub itineraries: Option<u32>,
    /// How many members an itinerary may have. Default: 100
    #[arg(long = "quota-members", env = "ITINERARY_QUOTA_MEMBERS", value_name = "NUMBER")]
    pub members: Option<u32>,
    /// How many people an account may follow. Default: 5000
    #[arg(long = "quota-following", env = "ITINERARY_QUOTA_FOLLOWING", value_name = "NUMBER")]
    pub following: Option<u32>,
    /// How many memberships an owner may give to an account that does not follow them. Default: 20
    #[arg(
        long = "quota-unsolicited-memberships",
        env = "ITINERARY_QUOTA_UNSOLICITED_MEMBERSHIPS",
        value_name = "NUMBER"
    )]
    pub unsolicited_memberships: Option<u32>,
}

impl QuotaSettings {
    /// These settings, and `other` where nothing is said.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            itineraries: self.itineraries.or(other.itineraries),
            members: self.members.or(other.members),
            following: self.following.or(other.following),
            unsolicited_memberships: self.unsolicited_memberships.or(other.unsolicited_memberships),
        }
    }

    /// The quotas, with the defaults where nothing is said.
    pub(super) fn resolve(&self) -> Quotas {
        let defaults = Quotas::default();
        let or = |setting: Option<u32>, default| setting.map_or(default, i64::from);
        Quotas {
            itineraries: or(self.itineraries, defaults.itineraries),
            members: or(self.members, defaults.members),
            following: or(self.following, defaults.following),
            unsolicited_memberships: or(self.unsolicited_memberships, defaults.unsolicited_memberships),
        }
    }
}
