@NullMarked
package io.waybill.examples.quality.kpi;

import org.jspecify.annotations.NullMarked;
