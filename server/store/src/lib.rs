//! Storage of the Itinerary Planning Service, on SQLite (the embedded default) and PostgreSQL.
//!
//! One cloneable [`Store`]; each area is an `impl Store` block in its own file. Each atomic operation is one method,
//! which owns its transaction: no transaction handle leaves the crate. A state change is a conditional statement whose
//! row count is checked, never an unlocked read followed by a write.
//!
//! The crate contains SQL, and does not know HTTP, JSON or permissions: fragments and metadata are opaque text, and the
//! current time is an argument.

mod account_facts;
mod accounts;
mod address;
mod audit_log;
mod backup;
mod blocks;
mod calendars;
mod caller;
mod changes;
mod clients;
mod deletion;
mod documents;
mod engine;
mod entity;
mod error;
mod explore;
mod export;
mod follows;
mod gazetteer;
mod grants;
mod idempotency;
mod identities;
mod invitations;
mod itineraries;
mod jobs;
mod library_time;
mod links;
mod locks;
mod mails;
mod marks;
mod members;
mod migrate;
mod migration;
mod moderation;
mod one_time_codes;
mod packed;
mod passkeys;
mod password_resets;
mod payer;
mod personal_tokens;
mod pictures;
mod population;
mod provider_answers;
mod query;
mod quotas;
mod reports;
mod revisions;
mod schema;
mod seed;
mod sessions;
mod settings;
mod sign_up_invitations;
mod summary;
mod totals;
mod values;
mod ways_in;
mod webhooks;

pub use account_facts::{AccountFacts, SessionRow};
pub use accounts::{Account, AccountColumns, AccountCreation, AccountRename, NO_PASSWORD, NewAccount, NewIdentity};
pub use address::postgres_name;
pub use audit_log::{AUDIT_SHORT, AuditFilter, AuditRow, NewAuditEntry};
pub use backup::{Filling, HELD_FOR, Snapshot, StoredFiles, Table};
pub use blocks::BlockOutcome;
pub use calendars::{CalendarEntry, CalendarOwner};
pub use caller::{AccessToken, CallerRow, EndedTokens, Pause};
pub use changes::{ChangeKind, ChangePage, ChangeRow, ChangesSince, FeedSequence, FeedState, WebhooksState};
pub use clients::Client;
pub use deletion::AccountDeletion;
pub use documents::{DocumentChange, DocumentFileRow, DocumentRow, NewDocument};
pub use engine::connect::{Options, sqlite_file, sqlite_url};
pub use engine::observed::{Observed, PoolState, WriterState};
pub use engine::store::Store;
#[doc(hidden)]
pub use entity::{EntityColumn, EntityTable};
pub use error::{DatabaseError, Result, StoreError};
pub use explore::{
    ExploreEntry, ExploreEntrySource, FeedOrder, FeedPosition, FollowedPage, IndexMerge, KEYS, Matching, NEW_TIER,
    RankRow, Ranked, TIERS, WALKED, WORLD,
};
pub use export::{AccountRows, TraceRow};
pub use follows::{FollowOutcome, FollowSide, ProfileRow};
pub use gazetteer::{CANDIDATES, CITIES, Cell, GazetteerRow, NewPlace};
pub use grants::{
    ACCESS_TOKENS, Code, CodeOutcome, ConnectedApp, ConsentAnswer, Family, GRANTS, NewGrant, NewRefresh, NewToken,
    RefreshKey, TokenGrant,
};
pub use idempotency::{
    Claim, EVICTION_BYTES, EVICTION_RESPONSES, Earlier, Idempotent, KEPT_BYTES, KEPT_HOURS, KEPT_RESPONSES,
    KeepOutcome, StoredResponse,
};
pub use identities::{IDENTITIES, IdentityLinkOutcome, IdentityRow};
pub use invitations::{INVITATION_DAYS, InvitationRow};
pub use itineraries::{
    CallerReads, ContentRow, ContentSelection, CreateOutcome, DUPLICATE_RADIUS_KM, DuplicateRule, ExploreEntryChange,
    ItineraryChange, ItineraryColumns, ItineraryRow, ListContent, ListQuery, NewItinerary, SaveOutcome, Saved,
    SavedFromRow, VisibleSections,
};
pub use jobs::{JobRow, JobRun};
pub use links::{LINKS_PER_ITINERARY, LinkOutcome, LinkRow, LinkedItinerary, LinkedSections, NewLink};
pub use mails::addresses::{MailAddressRow, UnverifiedAddress, VerifyOutcome};
pub use mails::links::{LinkMail, Recipient};
pub use mails::{ClaimedMail, ExpiringToken, NewMail};
pub use marks::{Mark, MarksRow};
pub use members::{MemberOutcome, MemberRow};
pub use migrate::{Applied, MigrationSteps};
pub use moderation::{ReportedItinerary, SuspendOutcome, SuspensionRow, WarningRow};
pub use one_time_codes::{NewOneTimeCodes, OneTimeCodes, TurnOnOutcome};
pub use passkeys::{PASSKEYS, PasskeyOutcome, PasskeyRow};
pub use payer::{Payer, paid_by, thread_time};
pub use personal_tokens::{NewPersonalToken, PERSONAL_TOKENS, PersonalToken, TokenCreated};
pub use pictures::{CoverChange, CoverOfBefore, CoverPosition, GRACE, NewPicture, PictureRow};
pub use population::{AccountCounts, FeedEntry, Populated};
pub use quotas::Quotas;
pub use reports::{NewReport, REJECTED_DAYS, REPORTER_AGE_DAYS, REPORTS_TO_HIDE, ReportOutcome, ReportRow};
pub use revisions::{NewRevision, REVISION_DAYS, REVISIONS_KEPT, RevisionRow};
pub use seed::Published;
pub use sessions::{SESSIONS, Session};
pub use sign_up_invitations::{NewSignUpInvitation, SignUpInvitationRow};
pub use summary::SummaryRow;
pub use totals::Totals;
pub use values::{DatabaseKind, Hash, WriteOutcome};
pub use ways_in::{RemovalOutcome, WaysIn};
pub use webhooks::{
    Attempt, AttemptOutcome, ClaimedDelivery, DeliveryRow, DeliveryState, NewDelivery, NewWebhook, QueueOutcome,
    QueuedWebhook, SendingWebhook, WEBHOOKS_PER_ACCOUNT, WEBHOOKS_PER_APP, WebhookChange, WebhookCreated,
    WebhookDisabled, WebhookRow,
};
