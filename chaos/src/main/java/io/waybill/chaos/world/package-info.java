/** What a run breaks: a database, a broker, the ways to both, and the processes that use them. */
@NullMarked
package io.waybill.chaos.world;

import org.jspecify.annotations.NullMarked;
