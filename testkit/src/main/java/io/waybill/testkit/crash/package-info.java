/**
 * Ends or freezes a process at a chosen step of a relay's work. Nothing of this is inside the relay: decorators of its
 * store, its transport and its data source count the steps, and only a process that was asked to crash installs them.
 */
@NullMarked
package io.waybill.testkit.crash;

import org.jspecify.annotations.NullMarked;
