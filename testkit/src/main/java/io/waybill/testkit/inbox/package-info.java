/** Tests that every inbox store passes. Start with {@link io.waybill.testkit.inbox.InboxContract}. */
@NullMarked
package io.waybill.testkit.inbox;

import org.jspecify.annotations.NullMarked;
