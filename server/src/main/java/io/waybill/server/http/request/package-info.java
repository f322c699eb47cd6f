/** Routes, and the rules for their requests: roles, limits, errors. */
@NullMarked
package io.waybill.server.http.request;

import org.jspecify.annotations.NullMarked;
