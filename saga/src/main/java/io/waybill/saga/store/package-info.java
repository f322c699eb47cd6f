/** The interface between the saga engine and a database. */
@NullMarked
package io.waybill.saga.store;

import org.jspecify.annotations.NullMarked;
