package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.COMMUNITY;

import java.util.ArrayList;
import java.util.List;
import org.bson.Document;

/** Communities, their leaders and members. */
public final class Communities {
    private static final String MEMBERS = "members";

    private final Source source;

    public Communities(Source source) {
        this.source = source;
    }

    public String create(String leader, String name) {
        String id = Source.newId();
        Document data = new Document("leader_id", leader).append("name", name).append("visibility", "PRIVATE");
        source.create(
                COMMUNITY,
                id,
                new Document(data).append(MEMBERS, List.of()).append(Source.CREATED_AT, Source.now()),
                data);
        return id;
    }

    public void update(String id, String name) {
        source.change(COMMUNITY, id, "updated", community -> {
            community.put("name", name);
            return new Document("name", name);
        });
    }

    public void changeVisibility(String id, String visibility) {
        source.change(
                COMMUNITY,
                id,
                "visibility_changed",
                community -> new Document("previous_visibility", community.put("visibility", visibility))
                        .append("new_visibility", visibility));
    }

    public void join(String id, String user) {
        members(id, "member_joined", user, true);
    }

    public void leave(String id, String user) {
        members(id, "member_left", user, false);
    }

    public void remove(String id, String user) {
        members(id, "member_removed", user, false);
    }

    private void members(String id, String action, String user, boolean joins) {
        source.change(COMMUNITY, id, action, community -> {
            List<String> members = new ArrayList<>(community.getList(MEMBERS, String.class));
            if (members.contains(user) == joins) {
                throw new IllegalArgumentException(
                        "User " + user + (joins ? " is already" : " is not") + " a member of community " + id + ".");
            }
            if (joins) {
                members.add(user);
            } else {
                members.remove(user);
            }
            community.put(MEMBERS, members);
            return new Document("user_id", user).append("member_count", members.size());
        });
    }
}
