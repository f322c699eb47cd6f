/** Applies each event once per consumer group: duplicates, order, retries and dead letters, on any database and broker. */
@NullMarked
package io.waybill.inbox;

import org.jspecify.annotations.NullMarked;
