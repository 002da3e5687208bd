//! CPU time of a running process, from `/proc`; no figure without it.

use std::fs;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// CPU time used so far, user plus system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// By the server's process.
    pub(crate) server: Option<Duration>,
    /// By the database's processes, if they are separate.
    pub(crate) database: Option<Duration>,
}

/// The used fields of `/proc/PID/stat`; times in clock ticks.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    own: u64,
    /// Of children that have ended and were waited for.
    ended_children: u64,
}

/// Time used by one process.
pub(crate) fn of_process(pid: u32) -> Option<Duration> {
    Some(ticks(stat(pid)?.own))
}

/// Time used by a process and all its children, including those that have ended.
pub(crate) fn of_family(pid: u32) -> Option<Duration> {
    let head = stat(pid)?;
    let children = fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| {
        let child = stat(entry.file_name().to_str()?.parse().ok()?)?;
        (child.parent == pid).then_some(child.own)
    });
    Some(ticks(head.own + head.ended_children + children.sum::<u64>()))
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The second field is the program's name in brackets, which may contain brackets and spaces.
fn parse(stat: &str) -> Option<Stat> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // Counted from the third field, the state.
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        own: number(11)? + number(12)?,
        ended_children: number(13)? + number(14)?,
    })
}

fn ticks(count: u64) -> Duration {
    Duration::from_micros(count * 1_000_000 / ticks_per_second())
}

fn ticks_per_second() -> u64 {
    static TICKS: OnceLock<u64> = OnceLock::new();
    *TICKS.get_or_init(|| {
        let asked = Command::new("getconf").arg("CLK_TCK").output().ok();
        let response = asked.and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok());
        // The value on all common Linux systems.
        response.filter(|&ticks| ticks > 0).unwrap_or(100)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_is_skipped() {
        let line = "812 (a) b (c)) S 7 812 812 0 -1 4194560 500 9 0 0 130 20 4 3 20 0 5 0 77 1 2";
        assert_eq!(parse(line), Some(Stat { parent: 7, own: 150, ended_children: 7 }));
        assert_eq!(parse("812 (cut"), None);
        assert_eq!(parse("812 (short) S 7 1"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_used_time() {
        let pid = std::process::id();
        let mut waste = 0_u64;
        while of_process(pid).expect("our own figures") < Duration::from_millis(20) {
            waste = std::hint::black_box(waste.wrapping_add(1));
        }
        assert!(of_family(pid).expect("ours and our children's") >= Duration::from_millis(20));
        assert_eq!(of_process(0), None);
    }
}
