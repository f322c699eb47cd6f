/**
 * Ends or freezes a process at a chosen step of a relay. The relay contains no code for this: decorators of its
 * store, transport and data source count the steps. They are installed only if a crash was requested.
 */
@NullMarked
package io.waybill.faults.crash;

import org.jspecify.annotations.NullMarked;
