/** A clock that a test controls. */
@NullMarked
package io.waybill.testkit.time;

import org.jspecify.annotations.NullMarked;
