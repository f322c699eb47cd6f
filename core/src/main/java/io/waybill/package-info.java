@NullMarked
package io.waybill;

import org.jspecify.annotations.NullMarked;
