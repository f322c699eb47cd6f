/** Other systems, each in a JVM of its own, driven over its standard input. Needs nothing but the JDK on their side. */
@NullMarked
package io.waybill.bench.peer;

import org.jspecify.annotations.NullMarked;
