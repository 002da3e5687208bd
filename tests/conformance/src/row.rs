//! A row: one promise of the specification and its check.

use std::future::Future;
use std::pin::Pin;

use crate::context::Context;
use crate::outcome::Checked;

type Check = Box<dyn Fn(Context) -> Pin<Box<dyn Future<Output = Checked> + Send>> + Send + Sync>;

/// One promise and how it is checked.
pub struct Row {
    /// The name by which the row is selected, such as `itinerary.create.minimal`.
    pub id: String,
    /// The section of the specification, such as `4.2`. Where it says nothing, the id of an operation of the OpenAPI
    /// document, or an RFC.
    pub section: String,
    /// The promise, in one sentence.
    pub promise: String,
    check: Check,
}

impl Row {
    /// Runs the check.
    pub async fn check(&self, context: Context) -> Checked {
        (self.check)(context).await
    }
}

/// A row whose check is an asynchronous function.
pub fn row<C, F>(id: impl Into<String>, section: impl Into<String>, promise: impl Into<String>, check: C) -> Row
where
    C: Fn(Context) -> F + Send + Sync + 'static,
    F: Future<Output = Checked> + Send + 'static,
{
    let check: Check = Box::new(move |context| Box::pin(check(context)));
    Row { id: id.into(), section: section.into(), promise: promise.into(), check }
}
