//! README's three programs, which compile as documentation tests, stay short.

#[test]
fn the_three_programs_have_at_most_60_lines_together() {
    let readme = include_str!("../../README.md");
    let section = readme.split("\n## ").find(|section| section.starts_with("Three programs")).unwrap();
    let programs: Vec<_> = section.split("```").skip(1).step_by(2).collect();
    assert!(programs.len() == 3 && programs.iter().all(|program| program.contains("async fn main()")));
    let lines: usize = programs.iter().map(|program| program.lines().skip(1).count()).sum();
    assert!(lines <= 60, "{lines} lines");
}
