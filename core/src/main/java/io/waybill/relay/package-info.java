@NullMarked
package io.waybill.relay;

import org.jspecify.annotations.NullMarked;
