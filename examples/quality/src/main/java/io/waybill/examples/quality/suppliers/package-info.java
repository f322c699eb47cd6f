@NullMarked
package io.waybill.examples.quality.suppliers;

import org.jspecify.annotations.NullMarked;
