/** Starts the servers and services of the shop, and serves its page. */
@NullMarked
package io.waybill.examples.polyshop.launcher;

import org.jspecify.annotations.NullMarked;
