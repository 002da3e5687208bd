//! Tells the program at which level it was optimised.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
}
