@NullMarked
package io.waybill.examples.logistics.outbox;

import org.jspecify.annotations.NullMarked;
