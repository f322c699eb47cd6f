/** Other systems, each in its own JVM and controlled over its standard input. The code in that JVM depends on the JDK only. */
@NullMarked
package io.waybill.bench.peer;

import org.jspecify.annotations.NullMarked;
