/** The state machine of one execution. It does no input or output: it is tested without a database. Not an API. */
@NullMarked
package io.waybill.saga.internal.execution;

import org.jspecify.annotations.NullMarked;
