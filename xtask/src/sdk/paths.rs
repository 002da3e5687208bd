//! The path of each operation, with placeholders instead of ids, for the SDK's log.

use std::error::Error;

/// Where the table is.
pub(crate) const FILE: &str = "client-sdk/src/paths.rs";

/// The table's text.
pub(crate) fn text() -> Result<String, Box<dyn Error>> {
    let document = super::published()?;
    let paths = document["paths"].as_object().ok_or("the document has no paths")?;
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for (path, operations) in paths {
        let operations = operations.as_object().ok_or("a path has no operations")?;
        rows.extend(operations.values().filter_map(|operation| Some((operation["operationId"].as_str()?, &**path))));
    }
    rows.sort_unstable();
    let rows: Vec<_> = rows.iter().map(|(id, path)| format!("    ({id:?}, {path:?}),\n")).collect();
    let rows = rows.concat();
    Ok(format!(
        "{}//! The paths of the operations.\n\n\
         /// Operations with their paths, in the order of their ids.\n\
         const PATHS: &[(&str, &str)] = &[\n{rows}];\n\n\
         /// The path of an operation, with placeholders instead of ids.\n\
         pub(crate) fn template(operation: &str) -> Option<&'static str> {{\n    \
         let index = PATHS.binary_search_by_key(&operation, |(id, _)| id).ok()?;\n    \
         Some(PATHS[index].1)\n}}\n",
        super::FIRST_LINES
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_keeps_its_placeholders() {
        let text = super::text().expect("a table");
        assert!(text.contains("(\"stop_move\", \"/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/move\"),"), "{text}");
    }
}
