/**
 * Checks a run: writers record their attempts, an independent reader reads the topic, and a checker compares both with
 * the events that the database has committed.
 */
@NullMarked
package io.waybill.faults.history;

import org.jspecify.annotations.NullMarked;
