//! What the tools need of a request: the service, the caller, and the checks that surround every operation.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use http::StatusCode;
use itinerary_api::error::ApiError;
use itinerary_api::policy::{LimitKind, Policy, Scope};
use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_app::admission::{self, Counted};
use itinerary_platform::context::Service;
use itinerary_platform::response_budget::ReservedMemory;
use uuid::Uuid;

use super::challenge;

/// One MCP request of one caller.
pub(crate) struct ToolContext {
    service: Arc<Service>,
    caller: Caller,
    request_id: String,
    /// The operation and fingerprint that an idempotency key covers: those of the tool call, because the same call may
    /// need another operation when it is retried.
    keyed_call: OnceLock<(String, [u8; 32])>,
    missing_scope: OnceLock<Scope>,
    /// Memory for a large result of an operation, held until the tool's own result is written.
    memory: OnceLock<ReservedMemory>,
}

impl ToolContext {
    pub(super) fn new(service: Arc<Service>, caller: Caller, request_id: String) -> Self {
        let (keyed_call, missing_scope, memory) = Default::default();
        Self { service, caller, request_id, keyed_call, missing_scope, memory }
    }

    pub(crate) fn service(&self) -> &Service {
        &self.service
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The id of the request, which errors of the operations carry too.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Counts the request, then checks the scope that its tool needs.
    pub(super) async fn admit(&self, scope: Option<Scope>, kind: LimitKind) -> Result<Counted, (ApiError, Counted)> {
        let verdict = admission::count(&self.service, kind, &self.caller).await;
        let counted = Counted { kind, verdict: Some(verdict) };
        if !verdict.allowed {
            return Err((admission::rate_limited(verdict), counted));
        }
        match scope.filter(|scope| !self.caller.scopes.contains(*scope)) {
            Some(missing) => Err((self.missing_scope_error(missing), counted)),
            None => Ok(counted),
        }
    }

    /// The error for a missing scope. Its challenge names that scope and the token's scopes.
    pub(super) fn missing_scope_error(&self, missing: Scope) -> ApiError {
        let scopes = self.caller.scopes.iter().chain([missing]).collect();
        challenge::complete(&self.service.config.base_url, scopes, ApiError::missing_scope(missing))
    }

    /// The scope that an operation needed and the token lacks.
    pub(super) fn missing_scope(&self) -> Option<Scope> {
        self.missing_scope.get().copied()
    }

    /// Binds idempotency keys to this name and fingerprint of the tool call.
    pub(super) fn bind_keys_to(&self, call: (String, [u8; 32])) {
        let _ = self.keyed_call.set(call);
    }

    /// The idempotency key of the tool call.
    pub(crate) fn idempotency_key(&self, key: Option<Uuid>) -> Option<IdempotencyKey> {
        let (operation, fingerprint) = self.keyed_call.get().cloned()?;
        key.map(|key| IdempotencyKey { key, operation, fingerprint })
    }

    /// Runs the use case of an operation that changes nothing, after the checks of that operation.
    pub(crate) async fn read<T>(
        &self,
        operation: &'static str,
        use_case: impl Future<Output = itinerary_app::Result<T>>,
    ) -> Result<T, ApiError> {
        let policy = Policy::of(operation).ok_or_else(|| {
            tracing::error!(operation, "a tool names an unknown operation");
            ApiError::internal()
        })?;
        admission::check_scope(policy.scope, &self.caller).inspect_err(|_| {
            let _ = policy.scope.map(|scope| self.missing_scope.set(scope));
        })?;
        if let Some(memory) = admission::reserve_memory(&self.service, policy, self.caller.account).await? {
            let _ = self.memory.set(memory);
        }
        let began = Instant::now();
        let outcome = use_case.await.map_err(ApiError::from);
        let status = outcome.as_ref().map_or_else(|error| error.code.status(), |_| StatusCode::OK.as_u16());
        self.service.metrics.request(operation, status, began.elapsed());
        outcome
    }

    /// The same for an operation that may change something.
    pub(crate) async fn write<T>(
        &self,
        operation: &'static str,
        use_case: impl Future<Output = itinerary_app::Result<T>>,
    ) -> Result<T, ApiError> {
        let outcome = self.read(operation, use_case).await;
        admission::note_write(&self.service, self.caller.account).await;
        outcome
    }
}
