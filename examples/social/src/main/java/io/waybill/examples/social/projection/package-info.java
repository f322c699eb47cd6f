@NullMarked
package io.waybill.examples.social.projection;

import org.jspecify.annotations.NullMarked;
