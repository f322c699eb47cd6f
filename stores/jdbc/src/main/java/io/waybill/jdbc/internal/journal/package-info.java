/** The journal engine: an append-only table and a cursor for each lane. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.journal;

import org.jspecify.annotations.NullMarked;
