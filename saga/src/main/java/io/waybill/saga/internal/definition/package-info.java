/** The rules of a valid definition. Not an API. */
@NullMarked
package io.waybill.saga.internal.definition;

import org.jspecify.annotations.NullMarked;
