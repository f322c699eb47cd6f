/**
 * Real relays on virtual time, over a model of the database and of the broker, in an order that one seed decides. Start with
 * {@link io.waybill.testkit.simulation.Simulation}.
 */
@NullMarked
package io.waybill.testkit.simulation;

import org.jspecify.annotations.NullMarked;
