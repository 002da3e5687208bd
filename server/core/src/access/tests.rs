//! The permissions of each standing, as a table.

use Act::{Change, ChangeList, Delete, History, Leave, Links, List, Mark, Members, Read, Share, Upload};
use Part::{Days, Documents, Expenses, Flights, Hotels, Packing, Reservations, Transports};

use super::*;

#[test]
fn visibility_and_membership_decide() {
    let (owner, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let of = |account, member, follows, visibility| {
        Standing::of(&Relation { account, owner, member, follows, invited: false, visibility })
    };
    let invited = |visibility| {
        Standing::of(&Relation { account: other, owner, member: None, follows: false, invited: true, visibility })
    };
    for visibility in [Visibility::Private, Visibility::Followers, Visibility::Unlisted, Visibility::Public] {
        assert_eq!(of(owner, None, false, visibility), Some(Standing::Owner));
        assert_eq!(of(other, Some(Role::Editor), false, visibility), Some(Standing::Editor));
        assert_eq!(of(other, Some(Role::Viewer), false, visibility), Some(Standing::Viewer));
        assert_eq!(invited(visibility), Some(Standing::Reader));
    }
    assert_eq!(of(other, None, true, Visibility::Private), None);
    assert_eq!(of(other, None, false, Visibility::Followers), None);
    assert_eq!(of(other, None, true, Visibility::Followers), Some(Standing::Reader));
    assert_eq!(of(other, None, false, Visibility::Unlisted), Some(Standing::Reader));
    assert_eq!(of(other, None, false, Visibility::Public), Some(Standing::Reader));
}

/// The columns of the table. A new standing does not compile without a column.
fn column(standing: Standing) -> usize {
    match standing {
        Standing::Owner => 0,
        Standing::Editor => 1,
        Standing::Viewer => 2,
        Standing::Reader => 3,
    }
}

/// Generates the arms of a `match` and the list of tested acts from the same rows, so a new act or part does not compile
/// without a row, and every row is tested.
macro_rules! table {
    ($([$($act:tt)+] => $free:expr, $pro:expr;)+) => {
        const ACTS: &[Act] = &[$($($act)+),+];

        /// The expected outcomes for each standing, without and with Pro.
        fn expected(act: Act) -> [[&'static str; 4]; 2] {
            match act { $($($act)+ => [$free, $pro],)+ }
        }
    };
}

// "no" is forbidden; a section's name says that Pro is needed for it.
table! {
    //                         without Pro                                    with Pro
    //                         owner       editor      viewer      reader     owner  editor viewer reader
    [Read]                  => ["yes",      "yes",      "yes",      "yes"],   ["yes", "yes", "yes", "yes"];
    [List(Days)]            => ["yes",      "yes",      "yes",      "yes"],   ["yes", "yes", "yes", "yes"];
    [List(Flights)]         => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
    [List(Hotels)]          => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
    [List(Transports)]          => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
    [List(Reservations)]          => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
    [List(Expenses)]        => ["expenses", "expenses", "expenses", "no"],    ["yes", "yes", "yes", "no"];
    [List(Packing)]         => ["packing",  "packing",  "packing",  "no"],    ["yes", "yes", "yes", "no"];
    [List(Documents)]       => ["yes",      "yes",      "yes",      "no"],    ["yes", "yes", "yes", "no"];
    [Change]                => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Days)]      => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Flights)]   => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Hotels)]    => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Transports)]    => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Reservations)]    => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Expenses)]  => ["expenses", "expenses", "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Packing)]   => ["packing",  "packing",  "no",       "no"],    ["yes", "yes", "no",  "no"];
    [ChangeList(Documents)] => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [Upload]                => ["documents","documents","no",       "no"],    ["yes", "yes", "no",  "no"];
    [Share]                 => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
    [History]               => ["yes",      "yes",      "no",       "no"],    ["yes", "yes", "no",  "no"];
    [Members]               => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
    [Links]                 => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
    [Leave]                 => ["no",       "yes",      "yes",      "no"],    ["no",  "yes", "yes", "no"];
    [Mark]                  => ["yes",      "yes",      "yes",      "yes"],   ["yes", "yes", "yes", "yes"];
    [Delete]                => ["yes",      "no",       "no",       "no"],    ["yes", "no",  "no",  "no"];
}

/// The outcome in the table's words.
fn word(outcome: Result<(), Denied>) -> &'static str {
    match outcome {
        Ok(()) => "yes",
        Err(Denied::Forbidden(why)) => {
            assert!(why.ends_with('.'), "a sentence says why: {why:?}");
            "no"
        }
        Err(Denied::SubscriptionRequired(Section::Expenses)) => "expenses",
        Err(Denied::SubscriptionRequired(Section::Packing)) => "packing",
        Err(Denied::SubscriptionRequired(Section::Documents)) => "documents",
    }
}

#[test]
fn permissions_match_the_table() {
    for act in ACTS {
        for (plan, pro) in [false, true].into_iter().enumerate() {
            for standing in [Standing::Owner, Standing::Editor, Standing::Viewer, Standing::Reader] {
                let told = word(allow(standing, pro, *act));
                assert_eq!(told, expected(*act)[plan][column(standing)], "{standing:?}, Pro: {pro}, {act:?}");
            }
        }
    }
}

#[test]
fn a_tag_names_the_view() {
    assert_eq!(Sections::of(Standing::Reader, true, true).letters(), "e");
    assert_eq!(Sections::of(Standing::Owner, false, false).letters(), "m");
    assert_eq!(Sections::of(Standing::Viewer, true, true).letters(), "mpd");
}
