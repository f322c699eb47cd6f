@NullMarked
package io.waybill.operate;

import org.jspecify.annotations.NullMarked;
