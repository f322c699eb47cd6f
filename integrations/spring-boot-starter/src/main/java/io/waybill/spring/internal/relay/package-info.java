/** The relay of the application. Not an API. */
@NullMarked
package io.waybill.spring.internal.relay;

import org.jspecify.annotations.NullMarked;
