@NullMarked
package io.waybill.examples.quality.nonconformities;

import org.jspecify.annotations.NullMarked;
