//! The files in `docs/deploy`: systemd accepts the unit and finds it sandboxed. If systemd is not installed, the test is
//! skipped, unless `ITINERARY_REQUIRE_SYSTEMD` is set. `tests/deploy/run` builds and runs the containers.

use std::fs;

use tempfile::TempDir;
use tokio::process::Command;

/// The highest exposure that is accepted, in tenths: systemd's scale ends at 10.0 (100). The unit has 1.4.
const EXPOSURE: u32 = 15;

#[tokio::test]
async fn systemd_accepts_the_unit_and_its_sandbox() {
    let folder = TempDir::new().expect("a folder");
    let unit = folder.path().join("itinerary-server.service");
    let text = include_str!("../../../docs/deploy/itinerary-server.service");
    let start = "\nExecStart=itinerary-server serve ";
    assert!(text.contains(start));
    let program = format!("\nExecStart={} serve ", env!("CARGO_BIN_EXE_itinerary-server-under-test"));
    fs::write(&unit, text.replace(start, &program)).expect("a file");
    let threshold = format!("--threshold={EXPOSURE}");
    for arguments in [&["verify"][..], &["security", "--offline=true", "--no-pager", &threshold]] {
        let analysis = Command::new("systemd-analyze").args(arguments).arg(&unit).output().await;
        let Ok(analysis) = analysis else {
            assert!(std::env::var_os("ITINERARY_REQUIRE_SYSTEMD").is_none(), "systemd-analyze is not installed");
            itinerary_tests::skipped("systemd-analyze is not installed");
            return;
        };
        let said = [analysis.stdout, analysis.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(analysis.status.success(), "{said}");
        // `verify` only warns about unknown keys.
        assert!(arguments != ["verify"] || said.is_empty(), "{said}");
        if let Some(line) = said.lines().find(|line| line.contains("Overall exposure")) {
            println!("{line}");
        }
    }
}
