@NullMarked
package io.waybill.mongodb.internal.outbox;

import org.jspecify.annotations.NullMarked;
