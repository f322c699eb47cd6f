@NullMarked
package io.waybill.examples.quality.worker;

import org.jspecify.annotations.NullMarked;
