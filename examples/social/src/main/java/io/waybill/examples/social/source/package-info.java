@NullMarked
package io.waybill.examples.social.source;

import org.jspecify.annotations.NullMarked;
