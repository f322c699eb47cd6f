/** Sagas on a JDBC database: their executions, and the commands that participants have executed. */
@NullMarked
package io.waybill.jdbc.saga;

import org.jspecify.annotations.NullMarked;
