/** The programs that a run starts as processes of their own: relays, writers, consumers. */
@NullMarked
package io.waybill.chaos.process;

import org.jspecify.annotations.NullMarked;
