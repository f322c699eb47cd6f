/** The endpoints of the HTTP API. */
@NullMarked
package io.waybill.server.http.api;

import org.jspecify.annotations.NullMarked;
