/** The saga engine in Spring's transactions and in the application's lifecycle. Not an API. */
@NullMarked
package io.waybill.spring.internal.saga;

import org.jspecify.annotations.NullMarked;
