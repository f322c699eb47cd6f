/** The benchmark program: its commands, and the scenarios that they run. */
@NullMarked
package io.waybill.bench;

import org.jspecify.annotations.NullMarked;
