/** Creates, checks and changes the tables. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.schema;

import org.jspecify.annotations.NullMarked;
