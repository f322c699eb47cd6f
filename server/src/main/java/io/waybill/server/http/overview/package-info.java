/** What moves, what does not, and why: samples of outboxes that all viewers share. */
@NullMarked
package io.waybill.server.http.overview;

import org.jspecify.annotations.NullMarked;
