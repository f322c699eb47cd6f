/** The contract that every store fulfils. */
@NullMarked
package io.waybill.testkit.store;

import org.jspecify.annotations.NullMarked;
