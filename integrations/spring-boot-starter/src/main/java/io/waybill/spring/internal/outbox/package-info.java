/** The outbox in Spring's transactions. Not an API. */
@NullMarked
package io.waybill.spring.internal.outbox;

import org.jspecify.annotations.NullMarked;
