@NullMarked
package io.waybill.examples.quality.security;

import org.jspecify.annotations.NullMarked;
