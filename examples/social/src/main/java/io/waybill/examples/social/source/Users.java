package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.USER;
import static io.waybill.examples.social.source.Source.STATUS;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.bson.Document;

/** Users, with all eleven of their events. */
public final class Users {
    private final Source source;

    public Users(Source source) {
        this.source = source;
    }

    public String create(String role) {
        String id = Source.newId();
        Instant now = Source.now();
        Document user = new Document("role", role)
                .append(STATUS, "PENDING")
                .append("display_name", "")
                .append("avatar_url", "")
                .append("bio", "")
                .append("follower_count", 0L)
                .append("following_count", 0L)
                .append("failed_logins", 0)
                .append(Source.CREATED_AT, now);
        source.create(
                USER,
                id,
                user,
                new Document("role", role).append(STATUS, "PENDING").append(Source.CREATED_AT, now));
        return id;
    }

    public void verify(String id) {
        source.change(
                USER,
                id,
                "verified",
                user -> new Document("previous_status", user.put(STATUS, "ACTIVE"))
                        .append("new_status", "ACTIVE")
                        .append("verified_at", Source.now()));
    }

    public void updateProfile(String id, String displayName, String bio) {
        source.change(USER, id, "profile_updated", user -> {
            Document profile = new Document("display_name", displayName)
                    .append("avatar_url", "https://images.example/" + id)
                    .append("bio", bio);
            user.putAll(profile);
            return new Document("changed_fields", List.copyOf(profile.keySet()))
                    .append("display_name", displayName)
                    .append("avatar_url", profile.get("avatar_url"))
                    .append("bio", bio);
        });
    }

    public void changeRole(String id, String role, String reason, String actor) {
        source.change(
                USER,
                id,
                "role_changed",
                user -> new Document("previous_role", user.put("role", role))
                        .append("new_role", role)
                        .append("reason", reason)
                        .append("actor_id", actor));
    }

    public void suspend(String id, String reason, String by) {
        source.change(USER, id, "suspended", user -> {
            user.put(STATUS, "SUSPENDED");
            return new Document("reason", reason)
                    .append("suspended_by", by)
                    .append("suspended_until", Source.now().plus(1, ChronoUnit.DAYS));
        });
    }

    public void reactivate(String id) {
        source.change(USER, id, "reactivated", user -> {
            user.put(STATUS, "ACTIVE");
            return new Document("reactivated_at", Source.now());
        });
    }

    /** @param type {@code follower_count} or {@code following_count} */
    public void changeStats(String id, String type, long value) {
        source.change(USER, id, "stats_changed", user -> {
            long previous = ((Number) user.put(type, value)).longValue();
            return new Document("stat_type", type)
                    .append("previous_value", previous)
                    .append("new_value", value)
                    .append("delta", value - previous);
        });
    }

    public void logIn(String id) {
        source.change(USER, id, "login_succeeded", user -> {
            user.put("failed_logins", 0);
            return new Document("logged_in_at", Source.now());
        });
    }

    public void failLogin(String id) {
        source.change(USER, id, "login_failed", user -> {
            int failed = user.getInteger("failed_logins") + 1;
            user.put("failed_logins", failed);
            return new Document("attempt_count", failed);
        });
    }

    public void lock(String id) {
        source.change(USER, id, "locked", user -> {
            user.put(STATUS, "LOCKED");
            return new Document("locked_at", Source.now());
        });
    }

    /** The document stays, without what identifies a person. */
    public void delete(String id) {
        source.change(USER, id, "deleted", user -> {
            user.append(STATUS, "DELETED")
                    .append("display_name", "")
                    .append("avatar_url", "")
                    .append("bio", "");
            return new Document("deleted_at", Source.now());
        });
    }
}
