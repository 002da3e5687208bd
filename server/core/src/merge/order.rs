//! The order of lists: which items moved, and the merged order.
//!
//! A list consists of sublists: stops are one list whose sublists are the days. Every other list is its own only sublist,
//! named [`WHOLE`]. Ids are unique in a list.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

/// The only sublist of a list that has no others.
pub(super) const WHOLE: &str = "";

/// The ids of a list in one version.
#[derive(Default)]
pub(super) struct Order<'a> {
    sublists: HashMap<&'a str, Vec<&'a str>>,
    /// The sublist and the index of each item.
    slots: HashMap<&'a str, (&'a str, usize)>,
}

impl<'a> Order<'a> {
    pub(super) fn new(sublists: impl IntoIterator<Item = (&'a str, Vec<&'a str>)>) -> Self {
        let sublists: HashMap<_, _> = sublists.into_iter().collect();
        let slot = |(sublist, ids): (&&'a str, &Vec<&'a str>)| {
            let sublist = *sublist;
            ids.iter().enumerate().map(move |(n, id)| (*id, (sublist, n))).collect::<Vec<_>>()
        };
        Self { slots: sublists.iter().flat_map(slot).collect(), sublists }
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.slots.contains_key(id)
    }

    /// The sublist that an item is in.
    pub(super) fn sublist(&self, id: &str) -> Option<&'a str> {
        self.slots.get(id).map(|(sublist, _)| *sublist)
    }

    /// The items of a sublist; none if there is no such sublist.
    pub(super) fn items(&self, sublist: &str) -> &[&'a str] {
        self.sublists.get(sublist).map_or(&[], Vec::as_slice)
    }

    /// The items before an item in its sublist, the nearest first.
    fn before(&self, id: &str) -> impl Iterator<Item = &'a str> {
        let (sublist, index) = self.slots.get(id).copied().unwrap_or_default();
        self.items(sublist)[..index].iter().rev().copied()
    }

    /// Where an item is, for people: after which other one, and in which sublist. Null if it does not exist.
    fn position(&self, id: &str) -> Option<Value> {
        let after = self.before(id).next();
        Some(match self.sublist(id)? {
            WHOLE => json!({ "after": after }),
            day => json!({ "dayId": day, "after": after }),
        })
    }

    /// The items that moved: those in another sublist than in the base, and those outside of the longest common
    /// subsequence of their sublist's two versions.
    pub(super) fn moved_since(&self, base: &Self) -> HashSet<&'a str> {
        let mut moved = HashSet::new();
        for (sublist, ids) in &base.sublists {
            let there = ids.iter().filter_map(|id| Some((*id, *self.slots.get(id)?)));
            let (stayed, left): (Vec<_>, Vec<_>) = there.partition(|(_, (now, _))| now == sublist);
            let positions: Vec<_> = stayed.iter().map(|(_, (_, index))| *index).collect();
            let kept = longest_increasing(&positions);
            let reordered = stayed.iter().zip(kept).filter(|(_, is_kept)| !is_kept).map(|(item, _)| item);
            moved.extend(reordered.chain(&left).map(|(id, _)| *id));
        }
        moved
    }
}

/// Which of the numbers, all different, are in the longest increasing subsequence. Of several longest, the one whose first
/// numbers are earliest.
fn longest_increasing(numbers: &[usize]) -> Vec<bool> {
    // From the end: the length of the longest increasing subsequence that begins with each number. `heads[n]` is the
    // largest number with which one of length n + 1 begins.
    let mut heads: Vec<usize> = Vec::new();
    let length = |number: &usize| {
        let shorter = heads.partition_point(|head| head > number);
        match heads.get_mut(shorter) {
            Some(head) => *head = *number,
            None => heads.push(*number),
        }
        shorter + 1
    };
    let mut lengths: Vec<_> = numbers.iter().rev().map(length).collect();
    lengths.reverse();
    let (mut wanted, mut last) = (heads.len(), None);
    let is_next = |(number, length): (&usize, usize)| {
        let is_next = length == wanted && last.is_none_or(|last| *number > last);
        if is_next {
            (wanted, last) = (wanted - 1, Some(*number));
        }
        is_next
    };
    numbers.iter().zip(lengths).map(is_next).collect()
}

/// The orders of a list in the three versions.
pub(super) struct Orders<'a> {
    pub(super) base: Order<'a>,
    pub(super) current: Order<'a>,
    pub(super) yours: Order<'a>,
    moved_by_current: HashSet<&'a str>,
    moved_by_you: HashSet<&'a str>,
}

impl<'a> Orders<'a> {
    pub(super) fn new([base, current, yours]: [Order<'a>; 3]) -> Self {
        let (moved_by_current, moved_by_you) = (current.moved_since(&base), yours.moved_since(&base));
        Self { base, current, yours, moved_by_current, moved_by_you }
    }

    /// The items of a sublist that the current version or yours has.
    pub(super) fn ids(&self, sublist: &str) -> impl Iterator<Item = &'a str> {
        let yours = self.yours.items(sublist).iter().filter(|id| !self.current.has(id));
        self.current.items(sublist).iter().chain(yours).copied()
    }

    /// Where an item is in the three versions.
    pub(super) fn positions(&self, id: &str) -> [Option<Value>; 3] {
        [&self.base, &self.current, &self.yours].map(|order| order.position(id))
    }

    /// Whether both sides moved an item, to different positions.
    pub(super) fn is_torn(&self, id: &str) -> bool {
        let is_moved = self.moved_by_current.contains(id) && self.moved_by_you.contains(id);
        is_moved && (self.current.sublist(id) != self.yours.sublist(id) || !self.has_same_predecessor(id))
    }

    /// Compares the nearest predecessors that are in the item's sublist on both sides.
    fn has_same_predecessor(&self, id: &str) -> bool {
        let sublist = self.current.sublist(id);
        let nearest =
            |one: &Order<'a>, other: &Order<'a>| one.before(id).find(|before| other.sublist(before) == sublist);
        nearest(&self.current, &self.yours) == nearest(&self.yours, &self.current)
    }

    /// Whether the merged position is yours: only you moved the item, or only your version has it.
    fn is_placed_by_you(&self, id: &str) -> bool {
        let is_moved = self.moved_by_you.contains(id) && !self.moved_by_current.contains(id);
        self.yours.has(id) && (is_moved || !self.current.has(id))
    }

    /// The merged order of a sublist, of the items that remain: the current order, then your moves and additions, each
    /// after its nearest remaining predecessor in your order, and after what the current version added there.
    pub(super) fn merged(&self, sublist: &str, remains: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let stays = |id: &&str| remains(id) && !self.is_placed_by_you(id);
        let is_new = |id: &str| {
            let is_added = !self.base.has(id) || self.moved_by_current.contains(id);
            is_added && !self.is_placed_by_you(id)
        };
        let mut next: HashMap<Option<&str>, &'a str> = HashMap::new();
        let mut last = None;
        for id in self.current.items(sublist).iter().copied().filter(stays) {
            next.insert(last, id);
            last = Some(id);
        }
        let mut anchor = None;
        for id in self.yours.items(sublist).iter().copied().filter(|id| remains(id)) {
            if self.is_placed_by_you(id) {
                let mut before = anchor;
                while let Some(follower) = next.get(&before).filter(|id| is_new(id)) {
                    before = Some(*follower);
                }
                let after = next.insert(before, id);
                after.map(|after| next.insert(Some(id), after));
            } else if self.current.sublist(id) != Some(sublist) {
                continue;
            }
            anchor = Some(id);
        }
        std::iter::successors(next.get(&None).copied(), |id| next.get(&Some(*id)).copied()).collect()
    }
}
