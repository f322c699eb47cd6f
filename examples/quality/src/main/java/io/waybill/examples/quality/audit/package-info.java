@NullMarked
package io.waybill.examples.quality.audit;

import org.jspecify.annotations.NullMarked;
