package io.waybill.server.database;

import org.jspecify.annotations.Nullable;

/**
 * The address of a database and the user who connects.
 *
 * @param url the address in the form that the driver accepts
 * @param place hosts, ports and name, for messages; contains no secrets
 */
public record DatabaseAddress(
        DatabaseAccess access,
        String url,
        @Nullable String user,
        @Nullable String password,
        String place) {
    @Override
    public String toString() {
        return place;
    }
}
