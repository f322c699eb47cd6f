/** Outbox and inbox in MongoDB, in the transactions of a {@code MongoTransactionManager}. Not an API. */
@NullMarked
package io.waybill.spring.internal.mongo;

import org.jspecify.annotations.NullMarked;
