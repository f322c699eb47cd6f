/**
 * Real relays on virtual time, with models of the database and of the broker. A seed determines the schedule. Start with
 * {@link io.waybill.faults.simulation.Simulation}.
 */
@NullMarked
package io.waybill.faults.simulation;

import org.jspecify.annotations.NullMarked;
