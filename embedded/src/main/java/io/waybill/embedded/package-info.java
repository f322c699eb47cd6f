/**
 * Real servers on this machine, for {@code waybill up} and for tests. They store their data in a folder and can be killed
 * and restarted.
 *
 * <p>{@link io.waybill.embedded.LocalPostgres} and {@link io.waybill.embedded.LocalKafka} need no installation, container
 * engine or network, and run on Linux and macOS. The others need Linux: {@link io.waybill.embedded.LocalMariaDb} an artifact
 * on the class path, {@link io.waybill.embedded.LocalRabbit} and {@link io.waybill.embedded.LocalNats} an installed package,
 * and {@link io.waybill.embedded.LocalMySql} a download from Debian.
 */
@NullMarked
package io.waybill.embedded;

import org.jspecify.annotations.NullMarked;
