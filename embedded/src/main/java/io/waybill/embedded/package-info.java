/**
 * Real servers on this machine, for {@code waybill up} and for tests: {@link io.waybill.embedded.LocalPostgres} and
 * {@link io.waybill.embedded.LocalKafka}. Both keep their data in a folder, survive being killed, and need no
 * installation, container engine or network. They run on Linux and macOS.
 */
@NullMarked
package io.waybill.embedded;

import org.jspecify.annotations.NullMarked;
