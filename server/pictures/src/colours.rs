//! Converts a picture to sRGB from the colour space that its file declares.
//!
//! Colours that sRGB does not have become the nearest at its edge. Without a declaration, colours are assumed to be sRGB.
//! HDR and print (CMYK) are not converted but rejected.

use image::RgbImage;
use moxcms::{
    Chromaticity, CicpProfile, ColorPrimaries, ColorProfile, DataColorSpace, Layout, MatrixCoefficients, ToneReprCurve,
    TransferCharacteristics, TransformOptions,
};

use crate::rejected::Rejected;

/// The largest profile that is read, in bytes.
const MAX_PROFILE_BYTES: usize = 2_000_000;
/// The gamma of a PNG that is meant as sRGB, whose curve is close to it.
const SRGB_GAMMA: f64 = 1.0 / 2.2;
/// Differences of gamma that do not count, as a share. Encoders round.
const GAMMA_TOLERANCE: f64 = 0.05;
/// Differences of chromaticities that do not count.
const CHROMATICITY_TOLERANCE: f64 = 0.01;
/// White, red, green and blue of sRGB: x and y of each.
const SRGB_CHROMATICITIES: [f64; 8] = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06];

/// How a file declares its colour space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Declared {
    /// As sRGB, or not at all.
    Srgb,
    /// By an ICC profile, which the decoder extracts.
    Profile,
    /// By code points of ITU-T H.273.
    CodePoints { primaries: u8, transfer: u8 },
    /// By numbers in a PNG.
    Measured(Measured),
}

/// What a PNG's gAMA and cHRM chunks say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Measured {
    /// The exponent with which the samples were encoded, such as 1 / 2.2.
    pub(crate) gamma: Option<f64>,
    /// As in [`SRGB_CHROMATICITIES`].
    pub(crate) chromaticities: Option<[f64; 8]>,
}

/// The colour space of a picture, unless it is sRGB. `icc` is the file's ICC profile.
pub(crate) fn space(declared: Declared, icc: Option<&[u8]>) -> Result<Option<ColorProfile>, Rejected> {
    match declared {
        Declared::Srgb => Ok(None),
        Declared::Profile => read_icc(icc.unwrap_or_default()).map(Some),
        Declared::CodePoints { primaries, transfer } => code_points(primaries, transfer).map(Some),
        Declared::Measured(measured) => Ok(measured.space()),
    }
}

fn read_icc(icc: &[u8]) -> Result<ColorProfile, Rejected> {
    const UNREADABLE: Rejected = Rejected::Colours("its colour profile cannot be read");
    if icc.len() > MAX_PROFILE_BYTES {
        return Err(Rejected::Colours("its colour profile has more than 2 MB"));
    }
    let profile = ColorProfile::new_from_slice(icc).map_err(|_| UNREADABLE)?;
    if profile.cicp.is_some_and(|cicp| is_hdr(cicp.transfer_characteristics)) {
        return Err(HDR);
    }
    Ok(profile)
}

const HDR: Rejected = Rejected::Colours("it is an HDR image");

fn is_hdr(transfer: TransferCharacteristics) -> bool {
    matches!(transfer, TransferCharacteristics::Smpte2084 | TransferCharacteristics::Hlg)
}

fn code_points(primaries: u8, transfer: u8) -> Result<ColorProfile, Rejected> {
    const UNKNOWN: Rejected = Rejected::Colours("its cICP chunk is unknown");
    let cicp = CicpProfile {
        color_primaries: primaries.try_into().map_err(|_| UNKNOWN)?,
        transfer_characteristics: transfer.try_into().map_err(|_| UNKNOWN)?,
        matrix_coefficients: MatrixCoefficients::Identity,
        full_range: true,
    };
    if is_hdr(cicp.transfer_characteristics) {
        return Err(HDR);
    }
    let profile = ColorProfile::new_from_cicp(cicp);
    // What is not supported is left out.
    if profile.is_matrix_shaper() { Ok(profile) } else { Err(UNKNOWN) }
}

impl Measured {
    /// `None` for sRGB, and for numbers that make no sense.
    fn space(self) -> Option<ColorProfile> {
        let chromaticities = self.chromaticities.filter(|found| is_sensible(found) && !is_srgb(found));
        let gamma = self.gamma.filter(|gamma| (0.1..=10.0).contains(gamma));
        // The gamma of sRGB beside the chromaticities of sRGB means its curve.
        let is_usual = |gamma: &f64| (gamma / SRGB_GAMMA - 1.0).abs() < GAMMA_TOLERANCE;
        let gamma = gamma.filter(|gamma| chromaticities.is_some() || !is_usual(gamma));
        if chromaticities.is_none() && gamma.is_none() {
            return None;
        }
        let mut profile = ColorProfile::new_srgb();
        profile.cicp = None;
        if let Some(found) = chromaticities {
            let [white, red, green, blue] = points(found);
            profile.update_rgb_colorimetry(white.to_xyyb(), ColorPrimaries { red, green, blue });
        }
        if let Some(gamma) = gamma {
            #[allow(clippy::cast_possible_truncation)]
            let curve = ToneReprCurve::Parametric(vec![(1.0 / gamma) as f32]);
            profile.red_trc = Some(curve.clone());
            profile.green_trc = Some(curve.clone());
            profile.blue_trc = Some(curve);
        }
        Some(profile)
    }
}

#[allow(clippy::cast_possible_truncation)]
fn points([wx, wy, rx, ry, gx, gy, bx, by]: [f64; 8]) -> [Chromaticity; 4] {
    [(wx, wy), (rx, ry), (gx, gy), (bx, by)].map(|(x, y)| Chromaticity::new(x as f32, y as f32))
}

/// Whether the primaries span a triangle, and white is a colour.
fn is_sensible(&[_, wy, rx, ry, gx, gy, bx, by]: &[f64; 8]) -> bool {
    let area = (gx - rx) * (by - ry) - (bx - rx) * (gy - ry);
    [wy, ry, gy, by].iter().all(|y| *y > 0.001) && area.abs() > 0.001
}

fn is_srgb(chromaticities: &[f64; 8]) -> bool {
    chromaticities.iter().zip(SRGB_CHROMATICITIES).all(|(found, srgb)| (found - srgb).abs() < CHROMATICITY_TOLERANCE)
}

/// Converts a picture to sRGB. A profile for grey pictures is applied only if the file was one.
pub(crate) fn to_srgb(picture: &RgbImage, space: &ColorProfile, is_grey: bool) -> Result<RgbImage, Rejected> {
    const UNUSABLE: Rejected = Rejected::Colours("its colour profile cannot be used");
    let (srgb, mut converted) = (ColorProfile::new_srgb(), RgbImage::new(picture.width(), picture.height()));
    let options = TransformOptions { allow_use_cicp_transfer: false, ..TransformOptions::default() };
    let transform = |from| space.create_transform_8bit(from, &srgb, Layout::Rgb, options).map_err(|_| UNUSABLE);
    let done = match space.color_space {
        DataColorSpace::Rgb => transform(Layout::Rgb)?.transform(picture, &mut converted),
        DataColorSpace::Gray if is_grey => {
            let grey: Vec<u8> = picture.pixels().map(|pixel| pixel.0[0]).collect();
            transform(Layout::Gray)?.transform(&grey, &mut converted)
        }
        DataColorSpace::Gray => return Err(Rejected::Colours("its colour profile is for grey images")),
        _ => return Err(Rejected::Colours("its colour profile is for images that are not RGB")),
    };
    done.map_err(|_| UNUSABLE)?;
    Ok(converted)
}
