/** Tests of sagas without a database, a broker or a clock. */
@NullMarked
package io.waybill.saga.test;

import org.jspecify.annotations.NullMarked;
