/**
 * Judges a run: writers record what they tried, an independent reader dumps the topic, and a checker compares the two with
 * what the database says was committed.
 */
@NullMarked
package io.waybill.testkit.history;

import org.jspecify.annotations.NullMarked;
