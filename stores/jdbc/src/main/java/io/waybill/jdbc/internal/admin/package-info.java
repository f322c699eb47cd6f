/** What operators see and do, whichever engine keeps the outbox. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.admin;

import org.jspecify.annotations.NullMarked;
