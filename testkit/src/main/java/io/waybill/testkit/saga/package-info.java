/** Tests that every saga store passes. Start with {@link io.waybill.testkit.saga.SagaStoreContract}. */
@NullMarked
package io.waybill.testkit.saga;

import org.jspecify.annotations.NullMarked;
