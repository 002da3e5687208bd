//! The statements that erase the account $1: each deletes some of its rows.

use super::FEW;
use crate::entity::{
    account_counters, blocks, codes, departures, explore, follows, grants, idempotency, invitations, itineraries,
    itinerary_counters, mails, members, reactions, removed_followers, reports, sessions, sign_up_invitations, tokens,
    views, webhook_deliveries, webhooks,
};
use crate::query::statement::statements;

statements! {
    pub(super) const EXPLORE = delete_some(explore::Entity::find().filter(explore::Column::OwnerId.eq(p(1))), FEW);

    /// Of other accounts, too: a popular itinerary has too many for one transaction.
    pub(super) const REACTIONS_TO_OWN = delete_batch(
        reactions::Entity::find().inner_join(itineraries::Entity).filter(itineraries::Column::OwnerId.eq(p(1))),
    );

    pub(super) const VIEWS_OF_OWN = delete_batch(
        views::Entity::find().inner_join(itineraries::Entity).filter(itineraries::Column::OwnerId.eq(p(1))),
    );

    pub(super) const REPORTS_OF_OWN = delete_batch(
        reports::Entity::find().inner_join(itineraries::Entity).filter(itineraries::Column::OwnerId.eq(p(1))),
    );

    pub(super) const DEPARTURES_FROM_OWN = delete_batch(
        departures::Entity::find().inner_join(itineraries::Entity).filter(itineraries::Column::OwnerId.eq(p(1))),
    );

    pub(super) const SAVED_AUTHOR = itineraries::Entity::update_many()
        .col_expr(itineraries::Column::SavedAuthor, Expr::null())
        .filter(itineraries::Column::Id.in_subquery(
            itineraries::Entity::find()
                .select_only()
                .column(itineraries::Column::Id)
                .filter(itineraries::Column::SavedAuthor.eq(p(1)))
                .limit(FEW.unsigned_abs())
                .into_query(),
        ));

    pub(super) const LIKES = delete_batch(
        reactions::Entity::find()
            .filter(reactions::Column::AccountId.eq(p(1)))
            .filter(reactions::Column::Kind.eq("like")),
    )
    .into_query()
    .returning_col(reactions::Column::ItineraryId);

    pub(super) const UNCOUNT_LIKE = itinerary_counters::Entity::update_many()
        .col_expr(itinerary_counters::Column::Likes, itinerary_counters::Column::Likes.col().sub(1))
        .filter(itinerary_counters::Column::ItineraryId.eq(p(1)));

    pub(super) const FOLLOWING = delete_batch(follows::Entity::find().filter(follows::Column::FollowerId.eq(p(1))))
        .into_query()
        .returning_col(follows::Column::FollowedId);

    pub(super) const UNCOUNT_FOLLOWER = account_counters::Entity::update_many()
        .col_expr(account_counters::Column::Followers, account_counters::Column::Followers.col().sub(1))
        .filter(account_counters::Column::AccountId.eq(p(1)));

    pub(super) const FOLLOWERS = delete_batch(follows::Entity::find().filter(follows::Column::FollowedId.eq(p(1))))
        .into_query()
        .returning_col(follows::Column::FollowerId);

    pub(super) const UNCOUNT_FOLLOWING = account_counters::Entity::update_many()
        .col_expr(account_counters::Column::Following, account_counters::Column::Following.col().sub(1))
        .filter(account_counters::Column::AccountId.eq(p(1)));

    pub(super) const REACTIONS = delete_batch(reactions::Entity::find().filter(reactions::Column::AccountId.eq(p(1))));

    pub(super) const VIEWS = delete_batch(views::Entity::find().filter(views::Column::AccountId.eq(p(1))));

    pub(super) const MEMBERS = delete_batch(members::Entity::find().filter(members::Column::AccountId.eq(p(1))));

    /// Those of its itineraries' versions are deleted with them. Those of other accounts stay: they say that an
    /// itinerary was deleted.
    pub(super) const CHANGES = "DELETE FROM changes WHERE position IN \
         (SELECT position FROM changes WHERE account_id = $1 AND kind <> 'updated' LIMIT 500)";

    pub(super) const DEPARTURES =
        delete_batch(departures::Entity::find().filter(departures::Column::AccountId.eq(p(1))));

    pub(super) const INVITATIONS =
        delete_batch(invitations::Entity::find().filter(invitations::Column::AccountId.eq(p(1))));

    pub(super) const BLOCKS = delete_batch(blocks::Entity::find().filter(blocks::Column::AccountId.eq(p(1))));

    pub(super) const BLOCKED_BY = delete_batch(blocks::Entity::find().filter(blocks::Column::BlockedId.eq(p(1))));

    pub(super) const REMOVED_FOLLOWERS =
        delete_batch(removed_followers::Entity::find().filter(removed_followers::Column::AccountId.eq(p(1))));

    pub(super) const REMOVED_BY =
        delete_batch(removed_followers::Entity::find().filter(removed_followers::Column::FollowerId.eq(p(1))));

    pub(super) const REPORTS = delete_batch(reports::Entity::find().filter(reports::Column::AccountId.eq(p(1))));

    pub(super) const IDEMPOTENCY =
        delete_batch(idempotency::Entity::find().filter(idempotency::Column::AccountId.eq(p(1))));

    pub(super) const TOKENS = delete_batch(
        tokens::Entity::find().inner_join(grants::Entity).filter(grants::Column::AccountId.eq(p(1))),
    );

    pub(super) const GRANTS = delete_batch(grants::Entity::find().filter(grants::Column::AccountId.eq(p(1))));

    pub(super) const WEBHOOK_DELIVERIES = delete_batch(
        webhook_deliveries::Entity::find()
            .inner_join(webhooks::Entity)
            .filter(webhooks::Column::AccountId.eq(p(1))),
    );

    pub(super) const WEBHOOKS = delete_batch(webhooks::Entity::find().filter(webhooks::Column::AccountId.eq(p(1))));

    pub(super) const CODES = delete_batch(codes::Entity::find().filter(codes::Column::AccountId.eq(p(1))));

    pub(super) const SIGN_UP_INVITATIONS =
        delete_batch(sign_up_invitations::Entity::find().filter(sign_up_invitations::Column::CreatedBy.eq(p(1))));

    pub(super) const MAILS = delete_batch(mails::Entity::find().filter(mails::Column::AccountId.eq(p(1))));

    pub(super) const SESSIONS = delete_batch(sessions::Entity::find().filter(sessions::Column::AccountId.eq(p(1))));
}
