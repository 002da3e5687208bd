//! Edits of a content that is not known yet. They select entries by index when they are applied.

use itinerary_api::types::{Day, DayPatch, StopMove};
use itinerary_api::values::{ItemId, Patch, Whole};
use itinerary_core::edit::{Edit, Item, ItemEdit};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::{Index, select};
use proptest::strategy::BoxedStrategy;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::objects::{Nulls, object, patch};
use super::resources::{CONTENT, DAY, DOCUMENT_DETAILS, EXPENSE, FLIGHT, HOTEL, PACKING, RESERVATION, STOP, TRANSPORT};
use super::tidy::{self, Names};
use super::{content, values};
use crate::plain::Content;
use crate::shape::Field;
use crate::support::{json, typed, whole};

/// The lists whose items can be edited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    Days,
    Stops,
    Flights,
    Hotels,
    Transports,
    Reservations,
    Expenses,
    Packing,
    Documents,
}

const ALL: [Of; 9] = [
    Of::Days,
    Of::Stops,
    Of::Flights,
    Of::Hotels,
    Of::Transports,
    Of::Reservations,
    Of::Expenses,
    Of::Packing,
    Of::Documents,
];

impl Of {
    fn fields(self) -> &'static [Field] {
        match self {
            Self::Days => DAY,
            Self::Stops => STOP,
            Self::Flights => FLIGHT,
            Self::Hotels => HOTEL,
            Self::Transports => TRANSPORT,
            Self::Reservations => RESERVATION,
            Self::Expenses => EXPENSE,
            Self::Packing => PACKING,
            // The file of a document cannot be sent.
            Self::Documents => DOCUMENT_DETAILS,
        }
    }
}

/// An existing item, or one that does not exist.
#[derive(Clone, Debug)]
enum Who {
    There(Index),
    Gone,
}

/// The id that is sent with an item.
#[derive(Clone, Debug)]
enum SentId {
    None,
    /// Its own. For a new item, one that only it has.
    Own,
    /// One that exists, possibly its own.
    Taken(Index),
}

#[derive(Clone, Debug)]
enum What {
    /// A patch of the whole: each field is kept, sent from another content, or cleared.
    Whole(Box<Content>, Vec<u8>),
    Add(Value),
    Update(Value),
    Remove,
    /// A day's stops in another order, without some, and possibly with some of other days.
    Reorder(Vec<Index>),
    Move(Option<Who>),
    /// A day moved to the position.
    MoveDay,
    /// A day's legs anew, between any two of its stops, usually adjacent ones.
    Legs(Vec<(Index, usize)>),
}

/// A generated edit.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    of: Of,
    what: What,
    who: Who,
    day: Who,
    id: SentId,
    link: Option<Index>,
    position: Option<usize>,
    tidy: bool,
    prefix: String,
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![12 => any::<Index>().prop_map(Who::There), 1 => Just(Who::Gone)]
}

fn sent_id() -> impl Strategy<Value = SentId> {
    prop_oneof![6 => Just(SentId::None), 3 => Just(SentId::Own), 1 => any::<Index>().prop_map(SentId::Taken)]
}

fn what(of: Of) -> BoxedStrategy<What> {
    let add = object(of.fields()).prop_map(What::Add);
    let update = patch(of.fields(), Nulls::Allowed).prop_map(What::Update);
    match of {
        Of::Days => {
            let reorder = vec(any::<Index>(), 0..4).prop_map(What::Reorder);
            let to = prop_oneof![4 => Just(1), 1 => 0..4usize];
            let legs = vec((any::<Index>(), to), 1..3).prop_map(What::Legs);
            let moved = Just(What::MoveDay);
            prop_oneof![2 => add, 2 => update, 1 => Just(What::Remove), 1 => reorder, 2 => legs, 1 => moved].boxed()
        }
        Of::Stops => {
            let moved = option::of(who()).prop_map(What::Move);
            prop_oneof![3 => add, 1 => update, 1 => Just(What::Remove), 3 => moved].boxed()
        }
        Of::Documents => prop_oneof![2 => update, 1 => Just(What::Remove)].boxed(),
        _ => prop_oneof![2 => add, 2 => update, 1 => Just(What::Remove)].boxed(),
    }
}

fn replacement() -> impl Strategy<Value = What> {
    let choices = vec(select(vec![0, 0, 0, 0, 1, 1, 2]), CONTENT.len() + 1);
    (content::valid("x"), choices).prop_map(|(from, choices)| What::Whole(Box::new(from), choices))
}

fn detailed(of: Of, what: impl Strategy<Value = What> + 'static) -> BoxedStrategy<Ask> {
    let position = prop_oneof![2 => Just(None), 3 => (0..3usize).prop_map(Some)];
    let tidy = prop_oneof![5 => Just(true), 1 => Just(false)];
    let details = (who(), who(), sent_id(), option::of(any::<Index>()), position, tidy, "[A-Z]{6}");
    (what, details)
        .prop_map(move |(what, (who, day, id, link, position, tidy, prefix))| Ask {
            of,
            what,
            who,
            day,
            id,
            link,
            position,
            tidy,
            prefix,
        })
        .boxed()
}

/// A removal of something that expenses and packing items may link to.
pub(crate) fn removal() -> BoxedStrategy<Ask> {
    let of = [Of::Days, Of::Stops, Of::Flights, Of::Hotels, Of::Transports, Of::Reservations];
    proptest::strategy::Union::new(of.map(|of| detailed(of, Just(What::Remove)))).boxed()
}

/// A change of one item.
pub(crate) fn item_edit() -> BoxedStrategy<Ask> {
    proptest::strategy::Union::new(ALL.map(|of| detailed(of, what(of)))).boxed()
}

/// Any change.
pub(crate) fn edit() -> BoxedStrategy<Ask> {
    prop_oneof![8 => item_edit(), 1 => detailed(Of::Days, replacement())].boxed()
}

impl Ask {
    /// The names that its sender knows: the fields of the item, and the other names of the request.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let of_request: &[_] = if matches!(self.what, What::Move(_)) { &["dayId", "position"] } else { &["position"] };
        self.of.fields().iter().map(|field| field.name).chain(of_request.iter().copied())
    }

    /// The edit for this content.
    pub(crate) fn of(&self, content: &Content) -> Edit {
        let days = &content.everyone.days;
        let day = self.day.in_list(days);
        let stops = days.iter().find(|item| item.id.as_ref() == Some(&day)).map_or(&[][..], |day| &day.stops);
        match (self.of, &self.what) {
            (_, What::Whole(from, choices)) => Edit::Itinerary(Box::new(typed(&replaced(content, from, choices)))),
            (_, What::Move(to)) => Edit::StopMove {
                day,
                stop: self.who.in_list(stops),
                to: StopMove {
                    day_id: to.as_ref().map(|to| to.in_list(days)),
                    position: self.position.and_then(|n| Whole::new(i64::try_from(n).ok()?).ok()),
                },
            },
            (_, What::MoveDay) => {
                Edit::DayMove { day: self.who.in_list(days), position: self.position.unwrap_or_default() }
            }
            (_, What::Reorder(order)) => Edit::Day(self.reorder(content, order)),
            (_, What::Legs(ends)) => Edit::Day(self.legs(content, ends)),
            (Of::Days, _) => Edit::Day(self.day_edit(content)),
            (Of::Stops, _) => Edit::Stop(day, self.item(content, stops, tidy::stop)),
            (Of::Flights, _) => Edit::Flight(self.item(content, &content.members.flights, tidy::flight)),
            (Of::Hotels, _) => Edit::Hotel(self.item(content, &content.members.hotels, tidy::hotel)),
            (Of::Transports, _) => Edit::Transport(self.item(content, &content.members.transports, tidy::transport)),
            (Of::Reservations, _) => {
                Edit::Reservation(self.item(content, &content.members.reservations, tidy::reservation))
            }
            (Of::Expenses, _) => Edit::Expense(self.item(content, &content.pro.expenses, |_, _| {})),
            (Of::Packing, _) => Edit::PackingItem(self.item(content, &content.pro.packing, |_, _| {})),
            (Of::Documents, _) => Edit::Document(self.item(content, &content.documents.documents, |_, _| {})),
        }
    }

    fn item<T: Item<Patch: DeserializeOwned> + DeserializeOwned>(
        &self,
        content: &Content,
        list: &[T],
        tidy: fn(&mut T, &mut Names),
    ) -> ItemEdit<T> {
        let id = self.who.in_list(list);
        match &self.what {
            What::Add(item) => {
                let mut item: T = typed(&self.sent(content, item, &self.fresh()));
                if self.tidy {
                    tidy(&mut item, &mut Names::new(&self.prefix));
                }
                ItemEdit::Add { item, position: self.position }
            }
            What::Update(patch) => ItemEdit::Update { patch: typed(&self.sent(content, patch, &id)), id },
            _ => ItemEdit::Remove { id },
        }
    }

    fn day_edit(&self, content: &Content) -> ItemEdit<Day> {
        let mut edit = self.item(content, &content.everyone.days, tidy::day);
        if let (ItemEdit::Update { id, patch }, true) = (&mut edit, self.tidy) {
            let there = content.everyone.days.iter().find(|day| day.id.as_ref() == Some(id));
            tidy::day_patch(patch, there.map_or(&[], |day| &day.stops), &mut Names::new(&self.prefix));
        }
        edit
    }

    fn reorder(&self, content: &Content, order: &[Index]) -> ItemEdit<Day> {
        let id = self.who.in_list(&content.everyone.days);
        let mut there = content.everyone.days.iter().filter(|day| !self.tidy || day.id.as_ref() == Some(&id));
        let mut left: Vec<_> = there.by_ref().flat_map(|day| day.stops.iter().cloned()).collect();
        let mut stops = Vec::new();
        for index in order.iter().take(left.len().min(order.len())) {
            stops.push(left.remove(index.index(left.len())));
        }
        let patch = DayPatch { stops: typed_list(&stops), ..DayPatch::default() };
        ItemEdit::Update { id, patch }
    }

    fn legs(&self, content: &Content, ends: &[(Index, usize)]) -> ItemEdit<Day> {
        let id = self.who.in_list(&content.everyone.days);
        let day = content.everyone.days.iter().find(|day| day.id.as_ref() == Some(&id));
        let stops = day.map_or(&[][..], |day| &day.stops);
        let leg = |(from, further): &(Index, usize)| {
            let from = from.index(stops.len());
            let (from, to) = (&stops[from].id, &stops[(from + further) % stops.len()].id);
            serde_json::json!({"from": from, "to": to, "mode": "walk"})
        };
        let legs: Vec<_> = ends.iter().filter(|_| !stops.is_empty()).map(leg).collect();
        ItemEdit::Update { id, patch: DayPatch { legs: typed_list(&legs), ..DayPatch::default() } }
    }

    fn fresh(&self) -> ItemId {
        ItemId::new(format!("{}-new", self.prefix)).expect("the right characters")
    }

    /// The item or patch with the id and the link to send.
    fn sent(&self, content: &Content, sent: &Value, own: &ItemId) -> Value {
        let mut sent = sent.clone();
        let fields = sent.as_object_mut().expect("an object");
        let taken = all_ids(content);
        match &self.id {
            SentId::Taken(index) if !taken.is_empty() => {
                fields.insert("id".to_owned(), json(index.get(&taken)));
            }
            SentId::Own => {
                fields.insert("id".to_owned(), json(own));
            }
            _ => {
                fields.remove("id");
            }
        }
        let mut targets = tidy::targets(content);
        targets.push(tidy::to_itinerary());
        if let (Some(link), Some(Value::Object(_))) = (&self.link, fields.get("belongsTo")) {
            fields.insert("belongsTo".to_owned(), json(link.get(&targets)));
        }
        sent
    }
}

impl Who {
    fn in_list<T: Item>(&self, list: &[T]) -> ItemId {
        let there = match self {
            Self::There(index) if !list.is_empty() => index.get(list).id().cloned(),
            _ => None,
        };
        there.unwrap_or_else(|| ItemId::new("gone").expect("the right characters"))
    }
}

fn typed_list<T: serde::Serialize, L: DeserializeOwned>(items: &[T]) -> Patch<L> {
    Patch::Value(typed(&json(&items)))
}

fn all_ids(content: &Content) -> Vec<ItemId> {
    let days = content.everyone.days.iter();
    let ids = days.flat_map(|day| day.stops.iter().map(|stop| stop.id.clone()).chain([day.id.clone()]));
    let ids = ids.chain(content.members.flights.iter().map(|item| item.id.clone()));
    let ids = ids.chain(content.members.hotels.iter().map(|item| item.id.clone()));
    let ids = ids.chain(content.members.transports.iter().map(|item| item.id.clone()));
    let ids = ids.chain(content.members.reservations.iter().map(|item| item.id.clone()));
    let ids = ids.chain(content.pro.expenses.iter().map(|item| item.id.clone()));
    ids.chain(content.pro.packing.iter().map(|item| item.id.clone())).flatten().collect()
}

/// A patch of the whole that sends and clears the chosen fields. Documents are sent unchanged, or wrongly cleared.
fn replaced(content: &Content, from: &Content, choices: &[u8]) -> Value {
    let (there, from) = (whole(content), whole(from));
    let mut patch = serde_json::Map::new();
    for (field, choice) in CONTENT.iter().zip(choices) {
        match (choice, &field.need) {
            (1, _) => drop(patch.insert(field.name.to_owned(), from[field.name].clone())),
            (2, crate::shape::Need::Optional | crate::shape::Need::Else(_)) => {
                drop(patch.insert(field.name.to_owned(), Value::Null));
            }
            _ => {}
        }
    }
    match choices.last() {
        Some(1) => drop(patch.insert("documents".to_owned(), there["documents"].clone())),
        Some(2) => drop(patch.insert("documents".to_owned(), Value::Null)),
        _ => {}
    }
    Value::Object(patch)
}

/// The target of a move, as it is sent.
pub(crate) fn stop_move() -> BoxedStrategy<Value> {
    (option::of(values::item_id()), option::of(0..=366))
        .prop_map(|(day, position)| serde_json::json!({"dayId": day, "position": position}))
        .boxed()
}
