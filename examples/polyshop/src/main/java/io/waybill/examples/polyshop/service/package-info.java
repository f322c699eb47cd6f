/** The parts that the Java services of the shop share: settings, HTTP, tokens, traces, database, outbox and inbox. */
@NullMarked
package io.waybill.examples.polyshop.service;

import org.jspecify.annotations.NullMarked;
