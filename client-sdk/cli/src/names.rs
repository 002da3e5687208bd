//! Lists of names as days of a trip: one stop a line.

use serde_json::{Value, json};

/// The days of a list. A blank line or a heading such as `Day 2` starts the next day; a line may start with a bullet and
/// with a time. Blank lines at the start, at the end and around headings make no empty days.
pub(crate) fn days(text: &str) -> Vec<Value> {
    let mut days: Vec<Vec<Value>> = vec![Vec::new()];
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if line.is_empty() || is_heading(line) {
            if days.last().is_some_and(|day| !day.is_empty()) {
                days.push(Vec::new());
            }
        } else if let (Some(stop), Some(day)) = (stop(line), days.last_mut()) {
            day.push(stop);
        }
    }
    if days.last().is_some_and(Vec::is_empty) {
        days.pop();
    }
    days.into_iter().map(|stops| json!({ "stops": stops })).collect()
}

/// `Day`, `Day 2`, `Day 2: Belém` or `## Day 2`, but not `Day trip to Sintra`.
fn is_heading(line: &str) -> bool {
    let line = line.trim_start_matches('#').trim_start();
    let Some((word, rest)) = line.split_at_checked(3) else { return false };
    let rest = rest.trim_start();
    word.eq_ignore_ascii_case("day")
        && (rest.is_empty() || rest.starts_with(|it: char| it.is_ascii_digit() || it == ':'))
}

fn stop(line: &str) -> Option<Value> {
    let line = ["- ", "* ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line).trim();
    let (time, name) = match line.split_once(char::is_whitespace) {
        Some((time, name)) if is_time(time) => (Some(format!("{time:0>5}")), name.trim()),
        _ => (None, line),
    };
    let mut stop = json!({ "name": name });
    if let Some(time) = time {
        stop["startTime"] = json!(time);
    }
    (!name.is_empty()).then_some(stop)
}

/// `9:30` or `09:30`.
fn is_time(word: &str) -> bool {
    let parse = |text: &str| text.chars().all(|it| it.is_ascii_digit()).then(|| text.parse::<u8>().ok()).flatten();
    word.split_once(':').is_some_and(|(hour, minute)| {
        minute.len() == 2
            && parse(hour).is_some_and(|hour| hour < 24)
            && parse(minute).is_some_and(|minute| minute < 60)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<Vec<String>> {
        let name = |stop: &Value| stop["name"].as_str().unwrap().to_owned();
        days(text).iter().map(|day| day["stops"].as_array().unwrap().iter().map(name).collect()).collect()
    }

    #[test]
    fn blank_lines_and_headings_start_days() {
        let text =
            "\u{feff}\nDay 1\n\nCastelo\n- Sé\n\n\n## Day 2: Belém\n\nTorre\nDay trip to Sintra\n\nday\nFado\n\n";
        assert_eq!(names(text), [vec!["Castelo", "Sé"], vec!["Torre", "Day trip to Sintra"], vec!["Fado"]]);
        assert_eq!(names("\n \nDay 1\n"), Vec::<Vec<String>>::new());
    }

    #[test]
    fn a_name_may_follow_a_time() {
        let day = &days("9:30 Castelo\n10:00 de Maio\n24:00 Club\n7 Eleven\n•  12:05  Sé")[0]["stops"];
        let expected = json!([
            { "name": "Castelo", "startTime": "09:30" },
            { "name": "de Maio", "startTime": "10:00" },
            { "name": "24:00 Club" },
            { "name": "7 Eleven" },
            { "name": "Sé", "startTime": "12:05" },
        ]);
        assert_eq!(day, &expected);
    }
}
