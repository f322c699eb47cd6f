/** The inbox on a JDBC database: the idempotent consumer's tables and the statements on them. */
@NullMarked
package io.waybill.jdbc.inbox;

import org.jspecify.annotations.NullMarked;
