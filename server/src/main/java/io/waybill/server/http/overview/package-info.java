/** Overviews of outboxes, with the reasons why events do not move. All viewers share the samples. */
@NullMarked
package io.waybill.server.http.overview;

import org.jspecify.annotations.NullMarked;
