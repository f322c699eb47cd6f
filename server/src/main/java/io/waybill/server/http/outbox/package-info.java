/** The outboxes that the HTTP server shows, and their parts. */
@NullMarked
package io.waybill.server.http.outbox;

import org.jspecify.annotations.NullMarked;
