/** Tests that every outbox store passes. Start with {@link io.waybill.testkit.store.StoreContract}. */
@NullMarked
package io.waybill.testkit.store;

import org.jspecify.annotations.NullMarked;
