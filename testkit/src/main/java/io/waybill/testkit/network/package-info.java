/** Network faults that a test switches on and off. */
@NullMarked
package io.waybill.testkit.network;

import org.jspecify.annotations.NullMarked;
