//! What each job does.

use chrono::TimeDelta;
use itinerary_app::itineraries::{covers, documents};
use itinerary_app::{Error, explore, mails, webhooks};
use itinerary_platform::context::Service;
use itinerary_platform::error_chain::chain;
use itinerary_platform::reads::{Read, day_of};
use itinerary_store::{IndexMerge, StoreError};
use serde_json::json;

use super::{Kind, RunResult, accounts};

/// How long responses of providers are kept.
const ANSWERS_KEPT: TimeDelta = TimeDelta::days(60);

/// How long changes are kept for those who follow them.
const CHANGES_KEPT: TimeDelta = TimeDelta::days(30);

/// The number of reads that are counted in one transaction.
const READS: usize = 200;

/// Runs a job. An error is text for the operator, without data of travellers.
pub(super) async fn work(service: &Service, kind: Kind) -> Result<RunResult, String> {
    let items = match kind {
        Kind::AdoptCovers => covers::adoption::adopt_all(service).await.map_err(|error| error.for_log())?,
        Kind::CountReads => count_reads(service).await.map_err(|error| chain(&error))?,
        Kind::RankExplore => explore::rank(service).await.map_err(|error| chain(&error))?,
        Kind::CheckWebhooks => webhooks::check(service).await.map_err(|error| error.for_log())?,
        Kind::ExpireDeliveries => {
            service.store.deliveries_expire(service.clock.now()).await.map_err(|error| chain(&error))?
        }
        Kind::ExpireRevisions => {
            service.store.revisions_expire(service.clock.now()).await.map_err(|error| chain(&error))?
        }
        Kind::ExpireRows => expire(service).await.map_err(|error| chain(&error))?,
        Kind::DeleteFiles => delete_files(service).await.map_err(|error| error.for_log())?,
        Kind::EraseAccounts => accounts::erase_deleted(service).await.map_err(|error| error.for_log())?,
        Kind::MergeSearchIndex => {
            service.store.search_index_merge(IndexMerge::Levels).await.map_err(|error| chain(&error))?
        }
        Kind::NoteExpiringTokens => mails::note_expiring_tokens(service).await.map_err(|error| chain(&error))?,
        Kind::CountTotals => return count_totals(service).await.map_err(|error| chain(&error)),
        Kind::DeleteImages => {
            let swept = covers::sweep(service).await.map_err(|error| error.for_log())?;
            let figures = json!({ "images": swept.kept, "imageBytes": swept.bytes });
            return Ok(RunResult { items: swept.deleted, figures: Some(figures.to_string()) });
        }
    };
    Ok(RunResult { items, figures: None })
}

async fn delete_files(service: &Service) -> Result<u64, Error> {
    Ok(documents::delete_loose_files(service).await? + covers::delete_due(service).await?)
}

async fn count_totals(service: &Service) -> Result<RunResult, StoreError> {
    let totals = service.store.totals(service.clock.now()).await?;
    let figures = json!({
        "accessTokens": totals.access_tokens,
        "grants": totals.grants,
        "sessions": totals.sessions,
        "documents": totals.documents,
        "documentBytes": totals.document_bytes,
    });
    Ok(RunResult { items: 0, figures: Some(figures.to_string()) })
}

/// Counts the reads noted since the last run. Returns how many were a traveller's first of the day.
pub async fn count_reads(service: &Service) -> Result<u64, StoreError> {
    let (mut reads, mut counted) = (service.reads.take(), 0);
    while let Some(&Read { day, .. }) = reads.last() {
        let of_day = reads.iter().rev().take(READS).take_while(|read| read.day == day);
        let pairs: Vec<_> = of_day.map(|read| (read.itinerary, read.reader)).collect();
        match service.store.views_add(&pairs, day).await {
            Ok(number) => counted += number,
            Err(error) => {
                service.reads.give_back(reads);
                return Err(error);
            }
        }
        reads.truncate(reads.len() - pairs.len());
    }
    Ok(counted)
}

/// Deletes expired sessions, codes, tokens, invitations, unverified addresses, stored responses, noted reads, username
/// reservations, old changes and entries of the audit log, and clients that were never approved. Returns how many rows.
pub async fn expire(service: &Service) -> Result<u64, StoreError> {
    let now = service.clock.now();
    let (sessions, tokens) = (service.store.sessions_expire(now).await?, service.store.tokens_expire(now).await?);
    let tokens = tokens + service.store.personal_tokens_expire(now).await?;
    let tokens = tokens + service.store.password_resets_expire(now).await?;
    let tokens = tokens + service.store.unverified_addresses_expire(now).await?;
    let reads = service.store.views_expire(day_of(now) - 1).await?;
    let responses = service.store.provider_answers_purge(now - ANSWERS_KEPT).await?;
    let clients = service.store.clients_expire(now).await?;
    let names = service.store.usernames_free(now).await?;
    let invitations = service.store.sign_up_invitations_expire(now).await?;
    let responses = responses + service.store.idempotency_expire(now).await?;
    let pictures = service.store.former_pictures_forget(now).await?;
    let entries = service.store.audit_expire(now).await?;
    let changes = service.store.changes_sweep(now - CHANGES_KEPT).await?;
    Ok(sessions + tokens + clients + reads + names + invitations + responses + pictures + changes + entries)
}
