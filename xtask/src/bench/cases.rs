//! The measured requests: a sample to check the response, and a wrk script for the load.

use std::fmt::Write as _;

use hyper::Method;
use serde_json::Value;
use uuid::Uuid;

use super::fill::{Filled, Request};
use super::wrk;

/// A token that no server has issued.
const BAD_TOKEN: &str = "0000000000000000000000000000000000000000000";

const LISBON: &str = include_str!("../../../client-sdk/examples/lisbon.json");

/// A stop of the trip to Lisbon.
const STOP: &str = "days/day-4/stops/sintra-quinta-da-regaleira";

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Case {
    /// Read an itinerary of 8 KB
    #[value(name = "get-8k")]
    Get8k,
    /// Read an itinerary of 250 KB
    #[value(name = "get-250k")]
    Get250k,
    /// Read the trip to Lisbon, 27 KB
    GetTrip,
    /// Read the same trip through MCP
    McpTrip,
    /// Its outline through MCP
    McpOutline,
    /// Its first day through MCP
    McpDay,
    /// The same with its tag: 304
    NotModified,
    /// The first page of the list, 25 entries
    List,
    /// The first page of the list, 100 entries
    #[value(name = "list-100")]
    List100,
    /// An unknown token: 401
    Unauthenticated,
    /// An unknown path: 404
    NotFound,
    /// Change the title of an itinerary of 8 KB
    #[value(name = "patch-8k")]
    Patch8k,
    /// Change the title of an itinerary of 250 KB
    #[value(name = "patch-250k")]
    Patch250k,
    /// Change the name of one stop of the trip to Lisbon, 27 KB
    Stop,
    /// The same with an idempotency key
    StopKeyed,
    /// Move one stop of the trip within its day
    StopMove,
    /// Create an itinerary with only the required fields
    Create,
    /// Create the trip to Lisbon, whose 53 stops have coordinates
    CreateTrip,
    /// Create the same trip without the coordinates of its stops, which are placed by their names
    CreateByName,
}

impl Case {
    /// Reads first, because writes make the lists longer.
    pub(crate) const IN_ORDER: [Self; 19] = [
        Self::Get8k,
        Self::Get250k,
        Self::GetTrip,
        Self::McpTrip,
        Self::McpOutline,
        Self::McpDay,
        Self::NotModified,
        Self::List,
        Self::List100,
        Self::Unauthenticated,
        Self::NotFound,
        Self::Patch8k,
        Self::Patch250k,
        Self::Stop,
        Self::StopKeyed,
        Self::StopMove,
        Self::Create,
        Self::CreateTrip,
        Self::CreateByName,
    ];

    /// The name on the command line and in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get8k => "get-8k",
            Self::Get250k => "get-250k",
            Self::GetTrip => "get-trip",
            Self::McpTrip => "mcp-trip",
            Self::McpOutline => "mcp-outline",
            Self::McpDay => "mcp-day",
            Self::NotModified => "not-modified",
            Self::List => "list",
            Self::List100 => "list-100",
            Self::Unauthenticated => "unauthenticated",
            Self::NotFound => "not-found",
            Self::Patch8k => "patch-8k",
            Self::Patch250k => "patch-250k",
            Self::Stop => "stop",
            Self::StopKeyed => "stop-keyed",
            Self::StopMove => "stop-move",
            Self::Create => "create",
            Self::CreateTrip => "create-trip",
            Self::CreateByName => "create-by-name",
        }
    }

    /// The expected status.
    pub(crate) fn expected_status(self) -> u16 {
        match self {
            Self::Create | Self::CreateTrip | Self::CreateByName => 201,
            Self::NotModified => 304,
            Self::Unauthenticated => 401,
            Self::NotFound => 404,
            _ => 200,
        }
    }

    /// One such request, for its response.
    pub(crate) fn sample(self, filled: &Filled) -> Request {
        self.request(filled, 0)
    }

    /// One of many such requests. Each turn changes or creates something else, all in the same itinerary.
    pub(crate) fn request(self, filled: &Filled, turn: usize) -> Request {
        let path = self.paths(filled).swap_remove(0);
        let change = |field: &str| {
            Request::new(Method::PATCH, path.clone())
                .body(&format!(r#"{{"{field}":"Sample {turn}"}}"#))
                .header("If-Match", "*")
        };
        match self {
            Self::Patch8k | Self::Patch250k => change("title"),
            Self::Stop => change("name"),
            Self::StopKeyed => change("name").header("Idempotency-Key", &Uuid::new_v4().to_string()),
            Self::StopMove => Request::new(Method::POST, path)
                .body(&format!(r#"{{"position":{}}}"#, turn % 2 * 2))
                .header("If-Match", "*"),
            Self::NotModified => Request::new(Method::GET, path).header("If-None-Match", &filled.tag),
            Self::Create => Request::new(Method::POST, path).body(&created(&format!("Sample {turn}"))),
            Self::CreateTrip => Request::new(Method::POST, path).body(&trip("Sample", true)),
            Self::CreateByName => Request::new(Method::POST, path).body(&trip("Sample", false)),
            Self::Unauthenticated => Request::new(Method::GET, path).token(BAD_TOKEN),
            Self::McpTrip | Self::McpOutline | Self::McpDay => {
                Request::new(Method::POST, "/mcp".to_owned()).body(&self.tool_call(&path))
            }
            _ => Request::new(Method::GET, path),
        }
    }

    /// The wrk script that repeats such requests; each thread uses its own share of the itineraries.
    pub(crate) fn script(self, filled: &Filled, token: &str, threads: usize, connections: usize) -> String {
        let token = if self == Self::Unauthenticated { BAD_TOKEN } else { token };
        let mut script = format!("wrk.headers[\"Authorization\"] = \"Bearer {token}\"\n");
        if self.has_body() {
            script.push_str("wrk.headers[\"Content-Type\"] = \"application/json\"\n");
        }
        if self == Self::NotModified {
            writeln!(script, "wrk.headers[\"If-None-Match\"] = [[{}]]", filled.tag).expect("writing to a string");
        }
        script.push_str("local paths = {\n");
        for path in self.paths(filled) {
            writeln!(script, "  \"{path}\",").expect("writing to a string");
        }
        writeln!(script, "}}\nlocal threads = {threads}").expect("writing to a string");
        script.push_str(SHARE);
        script.push_str(&match self {
            Self::Patch8k | Self::Patch250k => PATCH.replace("@FIELD@", "title"),
            Self::Stop => PATCH.replace("@FIELD@", "name"),
            Self::StopKeyed => KEYED.to_owned() + &PATCH.replace("@FIELD@", "name").replace("nil", "keyed()"),
            Self::StopMove => MOVE.to_owned(),
            Self::McpTrip | Self::McpOutline | Self::McpDay => MCP.replace("@BODY@", &self.tool_call("@ID@")),
            Self::Create => CREATE.replace("@BODY@", &created(&format!("Bench {connections}-@NAME@"))),
            Self::CreateTrip | Self::CreateByName => {
                let title = format!("Bench {connections}-@NAME@");
                CREATE.replace("@BODY@", &trip(&title, self == Self::CreateTrip))
            }
            _ => GET.to_owned(),
        });
        script.push_str(wrk::REPORT);
        script
    }

    fn has_body(self) -> bool {
        let calls_tool = matches!(self, Self::McpTrip | Self::McpOutline | Self::McpDay);
        calls_tool || self.creates() || matches!(self, Self::Patch8k | Self::Patch250k) || self.changes_stop()
    }

    /// Whether it changes one stop of the trip to Lisbon.
    fn changes_stop(self) -> bool {
        matches!(self, Self::Stop | Self::StopKeyed | Self::StopMove)
    }

    /// The MCP tool call for an itinerary's id.
    fn tool_call(self, id: &str) -> String {
        let how = match self {
            Self::McpOutline => r#","view":"outline""#,
            Self::McpDay => r#","day":1"#,
            _ => "",
        };
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_itinerary","arguments":{{"itineraryId":"{id}"{how}}}}}}}"#
        )
    }

    /// Whether it creates itineraries.
    pub(crate) fn creates(self) -> bool {
        matches!(self, Self::Create | Self::CreateTrip | Self::CreateByName)
    }

    fn paths(self, filled: &Filled) -> Vec<String> {
        let itineraries = |ids: &[String]| -> Vec<_> { ids.iter().map(|id| format!("/v1/itineraries/{id}")).collect() };
        match self {
            Self::Get8k | Self::Patch8k => itineraries(&filled.small),
            Self::Get250k | Self::Patch250k => itineraries(&filled.large),
            Self::GetTrip => itineraries(&filled.lisbon),
            // The ids, because the path is always that of the endpoint.
            Self::McpTrip | Self::McpOutline | Self::McpDay => filled.lisbon.clone(),
            Self::List => vec!["/v1/itineraries?limit=25".to_owned()],
            Self::List100 => vec!["/v1/itineraries?limit=100".to_owned()],
            Self::Unauthenticated | Self::NotModified => itineraries(&filled.small[..1]),
            Self::Stop | Self::StopKeyed | Self::StopMove => {
                let rest = if self == Self::StopMove { "/move" } else { "" };
                itineraries(&filled.lisbon).into_iter().map(|path| format!("{path}/{STOP}{rest}")).collect()
            }
            Self::NotFound => vec!["/v1/nowhere".to_owned()],
            Self::Create | Self::CreateTrip | Self::CreateByName => {
                vec!["/v1/itineraries?allowDuplicate=true".to_owned()]
            }
        }
    }
}

/// The required fields of an itinerary.
fn created(name: &str) -> String {
    format!(
        r#"{{"destination":{{"name":"{name}","coordinate":{{"latitude":38.7223,"longitude":-9.1393}}}},"startDate":"2027-05-15"}}"#
    )
}

/// The trip to Lisbon with another title, with or without the coordinates of its stops; the hotel always has one.
fn trip(title: &str, with_coordinates: bool) -> String {
    let mut trip: Value = serde_json::from_str(LISBON).expect("the example is JSON");
    trip["title"] = title.into();
    let object = trip.as_object_mut().expect("an object");
    // Only for members with Pro.
    object.remove("expenses");
    object.remove("packing");
    let stops =
        trip["days"].as_array_mut().into_iter().flatten().filter_map(|day| day["stops"].as_array_mut()).flatten();
    for stop in stops.filter(|_| !with_coordinates) {
        let place = stop["place"].as_object_mut().expect("every stop has a place");
        place.remove("coordinate");
        place.remove("code");
    }
    trip.to_string()
}

/// Numbers the threads and gives each every n-th path, or all of them if there are fewer paths than threads.
const SHARE: &str = r#"
local started = 0
function setup(thread)
  thread:set("number", started)
  started = started + 1
end
local mine, turn = {}, 0
local function share()
  for index, path in ipairs(paths) do
    if #paths < threads or (index - 1) % threads == number then mine[#mine + 1] = path end
  end
end
local function next_turn(count)
  turn = turn + 1
  return (turn - 1) % count + 1
end
"#;

/// The requests are built once, so that the load generator uses little CPU.
const GET: &str = r#"
local requests = {}
function init()
  share()
  for index, path in ipairs(mine) do requests[index] = wrk.format("GET", path) end
end
function request()
  return requests[next_turn(#requests)]
end
"#;

const MCP: &str = r#"
local requests = {}
function init()
  share()
  for index, id in ipairs(mine) do
    requests[index] = wrk.format("POST", "/mcp", nil, (string.gsub([==[@BODY@]==], "@ID@", id)))
  end
end
function request()
  return requests[next_turn(#requests)]
end
"#;

const PATCH: &str = r#"
wrk.headers["If-Match"] = "*"
function init() share() end
function request()
  local path = mine[next_turn(#mine)]
  return wrk.format("PATCH", path, nil, string.format('{"@FIELD@":"Seven days, plan %d-%d"}', number, turn))
end
"#;

/// Headers with a new key for each request: a version 4 UUID of the thread and the time.
const KEYED: &str = r#"
local seeded = false
function keyed()
  if not seeded then math.randomseed(os.time() * 64 + number); seeded = true end
  local headers = {}
  for name, value in pairs(wrk.headers) do headers[name] = value end
  headers["Idempotency-Key"] = string.gsub("xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx", "x", function()
    return string.format("%x", math.random(0, 15))
  end)
  return headers
end
"#;

/// The first or the third of its day, so that every request changes something.
const MOVE: &str = r#"
wrk.headers["If-Match"] = "*"
local moves = 0
function init() share() end
function request()
  moves = moves + 1
  local position = math.floor((moves - 1) / #mine) % 2 * 2
  return wrk.format("POST", mine[next_turn(#mine)], nil, string.format('{"position":%d}', position))
end
"#;

const CREATE: &str = r#"
local before, after = string.match([==[@BODY@]==], "^(.*)@NAME@(.*)$")
function init() share() end
function request()
  local path = mine[next_turn(#mine)]
  return wrk.format("POST", path, nil, before .. number .. "-" .. turn .. after)
end
"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn filled() -> Filled {
        let list = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Filled { small: list(&["a", "b"]), large: list(&["c"]), lisbon: list(&["d"]), tag: "\"v1\"".to_owned() }
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        for case in Case::IN_ORDER {
            let value = clap::ValueEnum::to_possible_value(&case).expect("every case can be chosen");
            assert_eq!(value.get_name(), case.name());
        }
    }

    #[test]
    fn scripts_carry_their_token_and_every_path() {
        let script = Case::Get8k.script(&filled(), "secret", 2, 64);
        assert!(script.contains("Bearer secret"));
        assert!(script.contains("\"/v1/itineraries/a\"") && script.contains("\"/v1/itineraries/b\""));
        assert!(!Case::Unauthenticated.script(&filled(), "secret", 2, 64).contains("secret"));
        let not_modified = Case::NotModified.script(&filled(), "secret", 2, 64);
        assert!(not_modified.contains("wrk.headers[\"If-None-Match\"] = [[\"v1\"]]") && !not_modified.contains("/b\""));
        assert!(Case::Stop.script(&filled(), "secret", 2, 64).contains("'{\"name\":"));
        assert!(Case::StopKeyed.script(&filled(), "secret", 2, 64).contains("path, keyed(), "));
        assert!(Case::StopMove.script(&filled(), "secret", 2, 64).contains("sintra-quinta-da-regaleira/move"));
        let create = Case::Create.script(&filled(), "secret", 2, 64);
        assert!(create.contains("Bench 64-@NAME@") && !create.contains("@BODY@"));
    }

    #[test]
    fn samples_expect_what_they_should() {
        assert_eq!(Case::Create.expected_status(), 201);
        let body = Case::Create.sample(&filled()).body.expect("a body");
        let parsed: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(parsed["destination"]["name"], "Sample 0");
    }
}
