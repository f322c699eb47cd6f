/** The local clock and the threads of a relay or an inbox. A test replaces both. */
@NullMarked
package io.waybill.time;

import org.jspecify.annotations.NullMarked;
