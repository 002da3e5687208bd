//! The port for bookable activities. It does not match them to stops and never invents a rating.

use async_trait::async_trait;
use tokio::time::Instant;

use crate::{Failure, Point};

#[derive(Clone, Copy, Debug)]
pub struct Nearby<'a> {
    /// The name of the stop or destination.
    pub name: &'a str,
    /// The position of the stop or destination.
    pub point: Point,
    /// The most activities to return.
    pub limit: usize,
}

/// An activity that can be booked.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    pub name: String,
    pub point: Option<Point>,
    /// The provider's id of the product.
    pub product_code: String,
    /// The average rating, from 0 to 5.
    pub rating: Option<f64>,
    /// The number of reviews behind the rating.
    pub review_count: Option<u32>,
    /// The page to book on, exactly as the provider sent it. Always `http` or `https`.
    pub booking_url: Option<String>,
}

/// Finds activities near a place.
#[async_trait]
pub trait Activities: Send + Sync {
    /// Returns activities near a place, in the provider's order, best first. Empty if there are none.
    async fn near(&self, question: &Nearby<'_>, deadline: Instant) -> Result<Vec<Activity>, Failure>;

    /// The provider's name, such as `viator`.
    fn name(&self) -> &str;
}
