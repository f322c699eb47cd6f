/** Checks at the start of the application, and reports about their failure. Not an API. */
@NullMarked
package io.waybill.spring.internal.start;

import org.jspecify.annotations.NullMarked;
