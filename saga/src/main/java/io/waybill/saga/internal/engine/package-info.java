/** Runs transitions in transactions: due work, replies and external calls. Not an API. */
@NullMarked
package io.waybill.saga.internal.engine;

import org.jspecify.annotations.NullMarked;
