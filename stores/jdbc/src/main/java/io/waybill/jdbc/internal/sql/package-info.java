/** Access to a database: dialects, statements, transactions and error codes. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.sql;

import org.jspecify.annotations.NullMarked;
