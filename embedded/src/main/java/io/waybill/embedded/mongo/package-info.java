/** A gateway that gives the official MongoDB driver real transactions on PostgreSQL with the DocumentDB extension; for tests and demos. */
@NullMarked
package io.waybill.embedded.mongo;

import org.jspecify.annotations.NullMarked;
