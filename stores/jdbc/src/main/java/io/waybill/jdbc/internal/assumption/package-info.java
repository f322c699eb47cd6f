/** What the engines assume about a database, and the queries that check it. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.assumption;

import org.jspecify.annotations.NullMarked;
