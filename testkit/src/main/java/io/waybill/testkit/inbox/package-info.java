/** What every store of an inbox must pass. */
@NullMarked
package io.waybill.testkit.inbox;

import org.jspecify.annotations.NullMarked;
