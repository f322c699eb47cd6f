package io.waybill.server.database;

import java.util.List;

/**
 * A schema, to be printed.
 *
 * @param script creates the tables and indexes
 * @param grants what services, relays and operators need if they do not own the tables, with example names; with a comment in front
 */
public record SchemaText(String script, List<String> grants) {}
