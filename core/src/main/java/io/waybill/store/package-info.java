@NullMarked
package io.waybill.store;

import org.jspecify.annotations.NullMarked;
