/** What is measured: relays of Waybill and bare loops, on servers of our own or given ones. */
@NullMarked
package io.waybill.bench.contest;

import org.jspecify.annotations.NullMarked;
