//! The process as Linux describes it, in the metrics that Prometheus clients share. Elsewhere these metrics are absent.

use std::fs;

/// The unit of times in `/proc/self/stat`. Linux gives every program a hundredth of a second, whatever the kernel's own.
const TICKS_PER_SECOND: f64 = 100.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Process {
    pub(super) cpu_seconds: f64,
    pub(super) start_time_seconds: f64,
    pub(super) resident_bytes: u64,
    pub(super) virtual_bytes: u64,
    pub(super) threads: u64,
    pub(super) open_descriptors: u64,
    /// `None` if there is no limit.
    pub(super) descriptor_limit: Option<u64>,
}

impl Process {
    /// This process now. `None` without `/proc`.
    pub(super) fn now() -> Option<Self> {
        let read = |file: &str| fs::read_to_string(file).ok();
        let (cpu_seconds, started) = times(&read("/proc/self/stat")?)?;
        let status = read("/proc/self/status")?;
        let size = |name| Some(number_after(&status, name)? * 1024);
        Some(Self {
            cpu_seconds,
            start_time_seconds: boot_time(&read("/proc/stat")?)? + started,
            resident_bytes: size("VmRSS:")?,
            virtual_bytes: size("VmSize:")?,
            threads: number_after(&status, "Threads:")?,
            // The listing itself has a descriptor, which is closed again.
            open_descriptors: (fs::read_dir("/proc/self/fd").ok()?.count() as u64).saturating_sub(1),
            descriptor_limit: number_after(&read("/proc/self/limits")?, "Max open files"),
        })
    }
}

/// The CPU time, and the start in seconds since the system started.
#[expect(clippy::cast_precision_loss, reason = "exact for centuries")]
fn times(stat: &str) -> Option<(f64, f64)> {
    // The name, in parentheses, may contain spaces and parentheses. The next field is the third.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let seconds = |ticks: u64| ticks as f64 / TICKS_PER_SECOND;
    Some((seconds(field(14)? + field(15)?), seconds(field(22)?)))
}

/// When the system started, in seconds since 1970.
fn boot_time(stat: &str) -> Option<f64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

fn number_after(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_anything() {
        let stat = "42 (a) b (c)) S 1 42 42 0 -1 4194560 1 2 3 4 150 50 7 8 20 0 9 0 12345 6 7";
        assert_eq!(times(stat), Some((2.0, 123.45)));
        assert_eq!(times("42 (a) S 1"), None);
    }

    #[test]
    fn limits_may_be_absent() {
        assert_eq!(
            number_after(
                "Max open files            1024                 4096                 files\n",
                "Max open files"
            ),
            Some(1024)
        );
        assert_eq!(
            number_after(
                "Max open files            unlimited            unlimited            files\n",
                "Max open files"
            ),
            None
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "compared with the system's own figures")]
    fn this_process_is_described() {
        let process = Process::now().expect("/proc is mounted");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs_f64();
        assert!((process.start_time_seconds - now).abs() < 3600.0, "{process:?}");
        assert!(process.resident_bytes > 1 << 20 && process.virtual_bytes >= process.resident_bytes, "{process:?}");
        assert!(process.threads >= 1 && process.open_descriptors >= 3, "{process:?}");
    }
}
