//! What reading a mail of ordinary size costs.

use std::hint::black_box;

use chrono::NaiveDate;
use criterion::{Criterion, criterion_group, criterion_main};
use itinerary_import::file::File;
use itinerary_import::{Budget, read};

const KIB: usize = 1_024;

/// The airline's mail with paragraphs and tables up to `size` bytes, as HTML mails have.
fn mail(size: usize) -> Vec<u8> {
    let mail =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/mail/airline.eml")).expect("the sample");
    let filling = "<table class=3D\"row\" width=3D\"600\"><tr><td style=3D\"color:#333\">Good to know&nbsp;</td></tr></table>\r\n";
    let head = "quoted-printable\r\n\r\n";
    let at = mail.rfind(head).expect("a page") + head.len();
    let count = size.saturating_sub(mail.len()) / filling.len();
    [&mail[..at], &filling.repeat(count), &mail[at..]].concat().into_bytes()
}

fn mails(criterion: &mut Criterion) {
    for size in [3 * KIB, 30 * KIB, 300 * KIB] {
        let mail = mail(size);
        criterion.bench_function(&format!("mail of {} KiB", size / KIB), |bencher| {
            bencher.iter(|| {
                let file = File { name: "mail.eml", media_type: Some("message/rfc822"), content: black_box(&mail) };
                let reading = read(&file, NaiveDate::default(), &mut Budget::new(&|| false));
                assert_eq!(reading.found.len(), 1);
                reading
            });
        });
    }
}

criterion_group!(benches, mails);
criterion_main!(benches);
