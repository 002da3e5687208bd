//! One-time codes and recovery codes.
//!
//! A code is used by a conditional statement whose row count is checked, so that each is used once on all servers.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::one_time_codes::{self, Column, Entity};
use crate::entity::recovery_codes;
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Hash, Result, Store};

row! {
    /// The one-time codes of an account.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OneTimeCodes {
        /// Sealed.
        pub secret: String = one_time_codes::Column::Secret,
        /// The time step of the last code that was used.
        pub last_step: i64 = one_time_codes::Column::LastStep,
        pub created_at: DateTime<Utc> = one_time_codes::Column::CreatedAt,
    }
}

/// One-time codes to turn on.
#[derive(Clone, Debug)]
pub struct NewOneTimeCodes {
    pub account_id: Uuid,
    /// Sealed.
    pub secret: String,
    /// The time step of the code that confirmed them.
    pub step: i64,
    pub created_at: DateTime<Utc>,
    /// The hashes of the recovery codes.
    pub recovery_codes: Vec<Hash>,
}

/// The outcome of turning one-time codes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOnOutcome {
    TurnedOn,
    /// They are on already.
    OnBefore,
    /// The session that began it has ended.
    SignedOut,
}

statements! {
    const FIND = Entity::find().select_row::<OneTimeCodes>().filter(Column::AccountId.eq(p(1)));

    const TURN_ON = insert([Column::AccountId, Column::Secret, Column::LastStep, Column::CreatedAt])
        .or_nothing([Column::AccountId]);

    const USE_STEP = Entity::update_many()
        .col_expr(Column::LastStep, p(2))
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::LastStep.lt(p(2)));

    const TURN_OFF = Entity::delete_many().filter(Column::AccountId.eq(p(1)));

    const ADD_RECOVERY_CODE = insert([recovery_codes::Column::AccountId, recovery_codes::Column::Hash]);

    const USE_RECOVERY_CODE = recovery_codes::Entity::delete_many()
        .filter(recovery_codes::Column::AccountId.eq(p(1)))
        .filter(recovery_codes::Column::Hash.eq(p(2)));

    const COUNT_RECOVERY_CODES =
        recovery_codes::Entity::find().select_count().filter(recovery_codes::Column::AccountId.eq(p(1)));

    const END_RECOVERY_CODES =
        recovery_codes::Entity::delete_many().filter(recovery_codes::Column::AccountId.eq(p(1)));
}

impl Store {
    /// The one-time codes of an account, if they are on.
    pub async fn one_time_codes(&self, account: Uuid) -> Result<Option<OneTimeCodes>> {
        self.fetch_optional(&query!(FIND, account)).await
    }

    /// The number of recovery codes that are left.
    pub async fn recovery_codes_left(&self, account: Uuid) -> Result<i64> {
        Ok(self.fetch_optional(&query!(COUNT_RECOVERY_CODES, account)).await?.unwrap_or_default())
    }

    /// Turns one-time codes on for the account of a session, and ends the other sessions, which were begun without one.
    pub async fn one_time_codes_turn_on(&self, new: &NewOneTimeCodes, session: &Hash) -> Result<TurnOnOutcome> {
        self.transaction((new.clone(), *session), |(new, session), transaction| {
            Box::pin(async move {
                transaction.lock_account(new.account_id).await?;
                if !transaction.is_signed_in(new.account_id, session).await? {
                    return Ok(End::Rollback(TurnOnOutcome::SignedOut));
                }
                let insert = query!(TURN_ON, new.account_id, &new.secret, new.step, new.created_at);
                if transaction.execute(&insert).await? != 1 {
                    return Ok(End::Rollback(TurnOnOutcome::OnBefore));
                }
                transaction.replace_recovery_codes(new.account_id, &new.recovery_codes).await?;
                transaction.end_other_sessions(new.account_id, session).await?;
                Ok(End::Commit(TurnOnOutcome::TurnedOn))
            })
        })
        .await
    }

    /// Uses the code of a time step. `false` if one of this step or a later one was used before.
    pub async fn one_time_code_use(&self, account: Uuid, step: i64) -> Result<bool> {
        Ok(self.execute(query!(USE_STEP, account, step)).await? == 1)
    }

    /// Uses a recovery code. `false` if the account has no such code (any more).
    pub async fn recovery_code_use(&self, account: Uuid, hash: &Hash) -> Result<bool> {
        Ok(self.execute(query!(USE_RECOVERY_CODE, account, hash)).await? == 1)
    }

    /// Replaces the recovery codes, in a session. `false` if one-time codes are off, or the session has ended.
    pub async fn recovery_codes_replace(&self, account: Uuid, hashes: &[Hash], session: &Hash) -> Result<bool> {
        self.transaction((account, hashes.to_vec(), *session), |(account, hashes, session), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.is_signed_in(*account, session).await?
                    || !transaction.exists(&query!(FIND, *account)).await?
                {
                    return Ok(End::Rollback(false));
                }
                transaction.replace_recovery_codes(*account, hashes).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Turns one-time codes off, in a session. `false` if they are off, or the session has ended.
    pub async fn one_time_codes_turn_off(&self, account: Uuid, session: &Hash) -> Result<bool> {
        self.transaction((account, *session), |(account, session), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.is_signed_in(*account, session).await? {
                    return Ok(End::Rollback(false));
                }
                Ok(End::Commit(transaction.turn_off_one_time_codes(*account).await?))
            })
        })
        .await
    }
}

impl Transaction {
    async fn replace_recovery_codes(&mut self, account: Uuid, hashes: &[Hash]) -> Result<()> {
        self.execute(&query!(END_RECOVERY_CODES, account)).await?;
        for hash in hashes {
            self.execute(&query!(ADD_RECOVERY_CODE, account, hash)).await?;
        }
        Ok(())
    }

    pub(crate) async fn turn_off_one_time_codes(&mut self, account: Uuid) -> Result<bool> {
        self.execute(&query!(END_RECOVERY_CODES, account)).await?;
        Ok(self.execute(&query!(TURN_OFF, account)).await? == 1)
    }
}
