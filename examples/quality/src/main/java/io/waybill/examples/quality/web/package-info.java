@NullMarked
package io.waybill.examples.quality.web;

import org.jspecify.annotations.NullMarked;
