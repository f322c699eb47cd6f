/** The outbox on MongoDB: appending events in the caller's session, and the store of a relay. */
@NullMarked
package io.waybill.mongodb;

import org.jspecify.annotations.NullMarked;
