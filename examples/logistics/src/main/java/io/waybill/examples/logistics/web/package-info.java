@NullMarked
package io.waybill.examples.logistics.web;

import org.jspecify.annotations.NullMarked;
