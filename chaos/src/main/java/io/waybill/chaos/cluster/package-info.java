/** The system under test: a database, a broker, proxies to both, and the processes that use them. */
@NullMarked
package io.waybill.chaos.cluster;

import org.jspecify.annotations.NullMarked;
