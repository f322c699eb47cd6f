/** Publishes events from existing outbox tables that are not Waybill's own; a {@code Layout} describes such a table. */
@NullMarked
package io.waybill.jdbc.layout;

import org.jspecify.annotations.NullMarked;
