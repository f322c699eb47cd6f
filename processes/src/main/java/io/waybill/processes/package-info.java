/** Programs that tests start as child processes: relays, writers, consumers and operators. */
@NullMarked
package io.waybill.processes;

import org.jspecify.annotations.NullMarked;
