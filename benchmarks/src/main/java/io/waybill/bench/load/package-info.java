/** Numbered events, generated in Java or in the database. This package depends on the JDK only. */
@NullMarked
package io.waybill.bench.load;

import org.jspecify.annotations.NullMarked;
