/** Events that a checker recognises, made in Java or in the database. Needs nothing but the JDK. */
@NullMarked
package io.waybill.bench.load;

import org.jspecify.annotations.NullMarked;
