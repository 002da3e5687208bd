//! The settings of estimated legs: one for each number of [`Speeds`].
//!
//! They are derived from the fields, so that `walk.kmh` is `legs_walk_kmh` by the rule for names; thirty fields with their
//! attributes would say the same.

use clap::error::ErrorKind;
use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use itinerary_core::legs::Speeds;
use serde_json::Value;

/// How legs are estimated.
#[derive(Clone, Debug, Default)]
pub struct LegSettings {
    /// Speeds, detours and limits.
    pub speeds: Speeds,
}

/// A number of [`Speeds`].
struct SpeedNumber {
    /// Its JSON pointer, such as `/walk/kmh`.
    pointer: String,
    default: f64,
}

impl Args for LegSettings {
    fn augment_args(command: Command) -> Command {
        let args: Vec<Arg> = numbers().iter().map(SpeedNumber::arg).collect();
        let ids: Vec<_> = args.iter().map(|arg| arg.get_id().clone()).collect();
        command.group(ArgGroup::new("LegSettings").multiple(true).args(ids)).args(args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LegSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Self::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut speeds = as_json(&self.speeds);
        for number in numbers() {
            if let (Some(set), Some(field)) =
                (matches.get_one::<f64>(&number.id()), speeds.pointer_mut(&number.pointer))
            {
                *field = Value::from(*set);
            }
        }
        let read = serde_json::from_value(speeds);
        self.speeds = read.map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, error))?;
        Ok(())
    }
}

impl SpeedNumber {
    fn id(&self) -> String {
        format!("legs{}", self.pointer.replace('/', "_"))
    }

    fn arg(&self) -> Arg {
        let id = self.id();
        let (unit, help) = self.meaning();
        let parser = match unit {
            "KMH" => positive,
            "FACTOR" => at_least_one,
            _ => not_negative,
        };
        let arg = Arg::new(id.clone()).long(id.replace('_', "-")).value_name(unit).help(help);
        arg.value_parser(parser).default_value(format!("{:?}", self.default))
    }

    fn meaning(&self) -> (&'static str, String) {
        let path = self.pointer.trim_start_matches('/');
        match path.split_once('/').unwrap_or((path, "")) {
            ("walk_up_to", _) => ("METRES", "The longest great-circle distance that people usually walk".to_owned()),
            ("transit_up_to", _) => (
                "METRES",
                "The longest great-circle distance that people usually travel by public transport".to_owned(),
            ),
            ("drive_up_to", _) => (
                "METRES",
                "The longest great-circle distance that people usually drive; beyond it, they fly".to_owned(),
            ),
            (mode, "kmh") => ("KMH", format!("The speed of estimated legs {}, in kilometres per hour", by(mode))),
            (mode, "detour") => (
                "FACTOR",
                format!("The length of an estimated leg {} divided by the great-circle distance; at least 1", by(mode)),
            ),
            (mode, _) => {
                ("MINUTES", format!("Minutes added to estimated legs {} for waiting, boarding and parking", by(mode)))
            }
        }
    }
}

fn by(mode: &str) -> String {
    match mode {
        "walk" => "on foot".to_owned(),
        "drive" => "by car".to_owned(),
        "transit" => "by public transport".to_owned(),
        mode => format!("by {mode}"),
    }
}

/// The numbers in alphabetical order, each mode's together.
fn numbers() -> Vec<SpeedNumber> {
    let mut found = Vec::new();
    collect(&as_json(&Speeds::default()), "", &mut found);
    found.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    found
}

fn collect(value: &Value, pointer: &str, found: &mut Vec<SpeedNumber>) {
    if let Some(default) = value.as_f64() {
        found.push(SpeedNumber { pointer: pointer.to_owned(), default });
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        collect(field, &format!("{pointer}/{name}"), found);
    }
}

fn as_json(speeds: &Speeds) -> Value {
    serde_json::to_value(speeds).expect("numbers are JSON")
}

fn number(text: &str, is_usable: impl Fn(f64) -> bool, message: &'static str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && is_usable(*number)).ok_or(message)
}

fn positive(text: &str) -> Result<f64, &'static str> {
    number(text, |number| number > 0.0, "must be a number more than 0")
}

fn at_least_one(text: &str) -> Result<f64, &'static str> {
    number(text, |number| number >= 1.0, "must be a number of at least 1")
}

fn not_negative(text: &str) -> Result<f64, &'static str> {
    number(text, |number| number >= 0.0, "must be a number of at least 0")
}
