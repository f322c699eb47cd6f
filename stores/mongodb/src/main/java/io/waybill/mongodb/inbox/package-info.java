/** The inbox on MongoDB. */
@NullMarked
package io.waybill.mongodb.inbox;

import org.jspecify.annotations.NullMarked;
