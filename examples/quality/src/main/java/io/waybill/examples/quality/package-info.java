@NullMarked
package io.waybill.examples.quality;

import org.jspecify.annotations.NullMarked;
