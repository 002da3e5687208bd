//! `cargo xtask land`: writes server/land/data/land.bin, which has the land and the lakes of maps and covers.

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use itinerary_land::{Layer, Ring};
use shapefile::{Point, Polygon};

const FILE: &str = "server/land/data/land.bin";

/// Options of the command
#[derive(Parser)]
pub(crate) struct Args {
    /// Folder with Natural Earth's files `ne_10m_land.shp` and `ne_10m_lakes.shp`
    folder: PathBuf,
}

/// Writes the file.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let read = |name: &str| polygons(args.folder.join(name));
    let (land, lakes) = (read("ne_10m_land.shp")?, read("ne_10m_lakes.shp")?);
    let file = itinerary_land::write(|layer| match layer {
        Layer::Land => land.clone(),
        Layer::Lakes => lakes.clone(),
    });
    println!("{FILE}: {} bytes", file.len());
    Ok(std::fs::write(FILE, file)?)
}

fn polygons(path: PathBuf) -> Result<Vec<Ring>, shapefile::Error> {
    let polygons: Vec<Polygon> = shapefile::read_shapes_as(path)?;
    let rings = polygons.iter().flat_map(Polygon::rings);
    Ok(rings.map(|ring| ring.points().iter().map(|Point { x, y }| (*x, *y)).collect()).collect())
}
