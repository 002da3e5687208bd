//! The order of lists in the model: which items a side moved, and the merged order.

use serde_json::{Value, json};

/// The longest common subsequence of the ids of two versions. Of several, the one with the earliest ids of the base.
pub(crate) fn common(base: &[String], side: &[String]) -> Vec<String> {
    let mut length = vec![vec![0; side.len() + 1]; base.len() + 1];
    for i in (0..base.len()).rev() {
        for j in (0..side.len()).rev() {
            let skip = length[i + 1][j].max(length[i][j + 1]);
            length[i][j] = if base[i] == side[j] { skip.max(1 + length[i + 1][j + 1]) } else { skip };
        }
    }
    let (mut kept, mut j) = (Vec::new(), 0);
    for i in 0..base.len() {
        let found = (j..side.len()).find(|k| side[*k] == base[i]);
        if let Some(k) = found.filter(|k| 1 + length[i + 1][k + 1] == length[i][j]) {
            kept.push(base[i].clone());
            j = k + 1;
        }
    }
    kept
}

/// A list of one version: its sublists with the ids of their items.
pub(crate) type Sublists = Vec<(String, Vec<String>)>;

pub(crate) fn ids(list: &Value) -> Vec<String> {
    let items = list.as_array().expect("a list");
    items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

pub(crate) fn sublist<'a>(version: &'a Sublists, name: &str) -> &'a [String] {
    version.iter().find(|(other, _)| other == name).map_or(&[], |(_, ids)| ids)
}

pub(crate) fn place_of<'a>(version: &'a Sublists, id: &str) -> Option<(&'a str, usize)> {
    version.iter().find_map(|(name, ids)| Some((&**name, ids.iter().position(|other| other == id)?)))
}

/// The items that a side moved.
pub(crate) fn moved(base: &Sublists, side: &Sublists) -> Vec<String> {
    let mut moved = Vec::new();
    for (name, ids) in base {
        let there: Vec<_> = ids.iter().filter(|id| place_of(side, id).is_some()).cloned().collect();
        let stays = |id: &&String| place_of(side, id).is_some_and(|(now, _)| now == name);
        let was: Vec<_> = there.iter().filter(stays).cloned().collect();
        let is: Vec<_> = sublist(side, name).iter().filter(|id| was.contains(id)).cloned().collect();
        let kept = common(&was, &is);
        moved.extend(there.into_iter().filter(|id| !kept.contains(id)));
    }
    moved
}

/// A list in the three versions, and what each side moved.
pub(crate) struct Orders {
    pub(crate) versions: [Sublists; 3],
    pub(crate) moved: [Vec<String>; 2],
}

impl Orders {
    pub(crate) fn new(versions: [Sublists; 3]) -> Self {
        let moved = [1, 2].map(|side| moved(&versions[0], &versions[side]));
        Self { versions, moved }
    }
}

pub(crate) fn position(version: &Sublists, id: &str) -> Value {
    let Some((name, index)) = place_of(version, id) else { return Value::Null };
    let after = index.checked_sub(1).map(|before| sublist(version, name)[before].clone());
    if name.is_empty() { json!({ "after": after }) } else { json!({ "dayId": name, "after": after }) }
}

/// Whether both sides moved an item, and not to the same position.
pub(crate) fn is_torn(orders: &Orders, id: &str) -> bool {
    let [_, current, yours] = &orders.versions;
    if !orders.moved.iter().all(|moved| moved.iter().any(|other| other == id)) {
        return false;
    }
    let (c, y) = (place_of(current, id).expect("moved"), place_of(yours, id).expect("moved"));
    let near = |one: &Sublists, (name, index): (&str, usize), other: &Sublists| {
        sublist(one, name)[..index].iter().rev().find(|id| sublist(other, name).contains(id)).cloned()
    };
    c.0 != y.0 || near(current, c, yours) != near(yours, y, current)
}

/// The merged order of a sublist.
pub(crate) fn merged_order(orders: &Orders, name: &str, remains: &dyn Fn(&str) -> bool) -> Vec<String> {
    let [base, current, yours] = &orders.versions;
    let has_moved = |side: usize, id: &str| orders.moved[side].iter().any(|other| other == id);
    let is_yours = |id: &str| {
        let added = place_of(current, id).is_none();
        place_of(yours, id).is_some() && (added || (has_moved(1, id) && !has_moved(0, id)))
    };
    let mut result: Vec<String> =
        sublist(current, name).iter().filter(|id| remains(id) && !is_yours(id)).cloned().collect();
    let mine = sublist(yours, name);
    for (n, id) in mine.iter().enumerate().filter(|(_, id)| remains(id) && is_yours(id)) {
        let before = mine[..n].iter().rev().find_map(|id| result.iter().position(|there| there == id));
        let mut index = before.map_or(0, |before| before + 1);
        while result
            .get(index)
            .is_some_and(|next| !is_yours(next) && (place_of(base, next).is_none() || has_moved(0, next)))
        {
            index += 1;
        }
        result.insert(index, id.clone());
    }
    result
}
