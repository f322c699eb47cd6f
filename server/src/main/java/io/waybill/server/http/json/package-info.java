/** Outboxes, inboxes and sagas as JSON. */
@NullMarked
package io.waybill.server.http.json;

import org.jspecify.annotations.NullMarked;
