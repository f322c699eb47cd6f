@NullMarked
package io.waybill.examples.logistics.orders;

import org.jspecify.annotations.NullMarked;
