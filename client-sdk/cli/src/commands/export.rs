//! The command `export`.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use clap::ValueEnum as _;

use crate::arguments::ExportArguments;
use crate::choices::Format;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::service::{Service, bytes};
use crate::{file, text, trip};

pub(super) async fn run(service: &Service, output: Output, arguments: &ExportArguments) -> Result<(), Failure> {
    let format = match (arguments.format, &arguments.output) {
        (Some(format), _) => format,
        (None, Some(path)) => by_extension(path)?,
        (None, None) => return Err(Failure::usage("pass --format or --output")),
    };
    let id = trip::find(service, &arguments.trip).await?;
    let exported = service.client.itinerary_export(id).format(format).send().await?.into_inner();
    let exported = bytes(exported.into_inner()).await?;
    match &arguments.output {
        Some(path) => {
            let named = |error: io::Error| Failure::new(Exit::Failure, format!("{}: {error}", path.display()));
            file::replace(path, &exported, false).map_err(named)?;
            let name = path.display().to_string();
            let value = serde_json::json!({ "id": id, "format": format.name(), "file": name, "bytes": exported.len() });
            if output.json {
                return output.value(&value);
            }
            output.say(&format!("Wrote {} bytes to {}.", exported.len(), text::clean(&name)))
        }
        None if io::stdout().is_terminal() => output.print(&text::clean_lines(&String::from_utf8_lossy(&exported))),
        // Not through `Output`, which would remove what looks like styles.
        None => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(&exported)?;
            Ok(stdout.flush()?)
        }
    }
}

fn by_extension(path: &Path) -> Result<Format, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    Format::from_str(extension, true).map_err(|_| {
        let names = Format::value_variants().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
        Failure::usage(format!("`{}` has none of the extensions {names}: pass --format", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_the_format() {
        assert_eq!(by_extension(Path::new("trips/lisbon.ICS")).unwrap(), Format::Ics);
        assert_eq!(by_extension(Path::new("a.geojson")).unwrap(), Format::Geojson);
        for name in ["lisbon", "lisbon.pdf", "ics", ".ics"] {
            assert_eq!(by_extension(Path::new(name)).unwrap_err().exit, Exit::Usage, "{name}");
        }
    }
}
