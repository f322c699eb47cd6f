package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.POST;
import static io.waybill.examples.social.source.Source.STATUS;

import org.bson.Document;

/** Posts of users in communities. */
public final class Posts {
    private final Source source;

    public Posts(Source source) {
        this.source = source;
    }

    public String create(String author, String community, String title, String body) {
        String id = Source.newId();
        Document data = new Document("author_id", author)
                .append("community_id", community)
                .append("title", title)
                .append("body", body);
        Document post = new Document(data)
                .append(STATUS, "DRAFT")
                .append("pinned", false)
                .append("global", false)
                .append("like_count", 0L)
                .append(Source.CREATED_AT, Source.now());
        source.create(POST, id, post, data);
        return id;
    }

    public void publish(String id) {
        status(id, "published", "PUBLISHED");
    }

    public void hide(String id) {
        status(id, "hidden", "HIDDEN");
    }

    public void delete(String id) {
        status(id, "deleted", "DELETED");
    }

    public void update(String id, String title, String body) {
        Document changed = new Document("title", title).append("body", body);
        set(id, "updated", changed);
    }

    public void requestGlobal(String id) {
        set(id, "global_requested", new Document());
    }

    public void approveGlobal(String id) {
        set(id, "global_approved", new Document("global", true));
    }

    public void pin(String id) {
        set(id, "pinned", new Document("pinned", true));
    }

    public void unpin(String id) {
        set(id, "unpinned", new Document("pinned", false));
    }

    public void like(String id) {
        source.change(POST, id, "stats_changed", post -> {
            long likes = post.getLong("like_count") + 1;
            post.put("like_count", likes);
            return new Document("stat_type", "like_count")
                    .append("previous_value", likes - 1)
                    .append("new_value", likes)
                    .append("delta", 1);
        });
    }

    private void status(String id, String action, String status) {
        set(id, action, new Document(STATUS, status));
    }

    private void set(String id, String action, Document fields) {
        source.change(POST, id, action, post -> {
            post.putAll(fields);
            return fields;
        });
    }
}
