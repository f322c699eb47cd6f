@NullMarked
package io.waybill.transport;

import org.jspecify.annotations.NullMarked;
