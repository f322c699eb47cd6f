/** The application's handlers, each called in a Spring transaction. Not an API. */
@NullMarked
package io.waybill.spring.internal.inbox;

import org.jspecify.annotations.NullMarked;
