@NullMarked
package io.waybill.dist;

import org.jspecify.annotations.NullMarked;
