package io.waybill.server.database;

import java.util.List;

/**
 * A schema, to be printed.
 *
 * @param script creates the tables and indexes
 * @param grants the grants that services, relays and operators need if they do not own the tables: a comment, then SQL with
 *     example names
 */
public record SchemaText(String script, List<String> grants) {}
