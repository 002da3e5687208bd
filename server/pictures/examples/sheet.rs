//! Temporary: JPEGs to PNG.
fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap();
    let columns: u32 = args.next().unwrap().parse().unwrap();
    let pictures: Vec<_> = args.map(|path| image::open(path).unwrap().into_rgb8()).collect();
    let (w, h) = pictures[0].dimensions();
    let rows = (pictures.len() as u32).div_ceil(columns);
    let mut sheet = image::RgbImage::new(w * columns + 8 * (columns - 1), h * rows + 8 * (rows - 1));
    for (i, p) in pictures.iter().enumerate() {
        let i = i as u32;
        image::imageops::replace(&mut sheet, p, i64::from(i % columns * (w + 8)), i64::from(i / columns * (h + 8)));
    }
    sheet.save(out).unwrap();
}
