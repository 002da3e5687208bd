//! Temporary.
#[path = "../tests/files/mod.rs"]
mod files;
use files::*;
use image::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args[1].as_str() {
        "make" => {
            let d = &args[2];
            let put = |n: &str, b: Vec<u8>| {
                println!("{n} {}", b.len());
                std::fs::write(format!("{d}/{n}"), b).unwrap()
            };
            put(
                "bomb.png",
                png_of(&[(b"IHDR", png_header(60_000, 60_000, 8, 2)), (b"IDAT", zlib(&[0; 1000])), (b"IEND", vec![])]),
            );
            let f = |x: u32, y: u32| [(x / 40) as u8, (y / 25) as u8, ((x + y) / 64) as u8];
            let rgb = |w, h| DynamicImage::ImageRgb8(RgbImage::from_fn(w, h, |x, y| Rgb(f(x, y))));
            put("rgb40.jpg", jpeg(&rgb(8000, 5000)));
            put("rgb40.png", png(&rgb(8000, 5000)));
            put(
                "rgba40.png",
                png(&DynamicImage::ImageRgba8(RgbaImage::from_fn(8000, 5000, |x, y| {
                    let [r, g, b] = f(x, y);
                    Rgba([r, g, b, 200])
                }))),
            );
            put(
                "rgba16.png",
                png(&DynamicImage::ImageRgba16(ImageBuffer::from_fn(5750, 4000, |x, y| {
                    let [r, g, b] = f(x, y).map(|v| u16::from(v) * 257);
                    Rgba([r, g, b, 60000])
                }))),
            );
            put("lossless20.webp", webp(&rgb(5000, 4000)));
            put("prog20.jpg", grey_jpeg(0xC2, 5000, 4000, 3));
            let mut l = LOSSY_WEBP.to_vec();
            let s = l.windows(3).position(|b| b == [0x9D, 1, 0x2A]).unwrap();
            l[s + 3..s + 5].copy_from_slice(&8000u16.to_le_bytes());
            l[s + 5..s + 7].copy_from_slice(&5000u16.to_le_bytes());
            put("lossy40.webp", l);
            let mut stream = Bits::default();
            stream.push(0b00_0100, 6);
            stream.push(0, 1);
            for symbol in [255, 255, 0, 0, 0] {
                stream.push_lone_symbol(symbol);
            }
            for _ in 0..65_536 * 5 {
                stream.push_long_code();
            }
            put("codes.webp", lossless_webp(&stream));
        }
        "raw" => println!("{:?}", image::load_from_memory(&std::fs::read(&args[2]).unwrap()).map(|i| i.dimensions())),
        "re" => {
            let bytes = std::fs::read(&args[2]).unwrap();
            let t = Instant::now();
            let r = itinerary_pictures::reencode(&bytes);
            println!("{:?} {:?}", t.elapsed(), r.map(|s| (s.width, s.height, s.large.len(), s.small.len())));
        }
        _ => {
            for (n, la, lo) in
                [("Lisbon", 38.7, -9.1), ("Kyoto", 35.0, 135.8), ("Quito", -0.2, -78.5), ("Tromsø", 69.6, 18.9)]
            {
                let t = Instant::now();
                let points = (0..12).map(|i| (la + f64::from(i * 7 % 5), lo + f64::from(i * 3 % 7))).collect();
                let c = itinerary_pictures::draw(&itinerary_pictures::Drawing {
                    name: n.into(),
                    latitude: la,
                    longitude: lo,
                    points,
                });
                println!("{n} {:?} {}", t.elapsed(), c.large.len());
            }
        }
    }
}
