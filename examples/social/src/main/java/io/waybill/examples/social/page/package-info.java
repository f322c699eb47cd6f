@NullMarked
package io.waybill.examples.social.page;

import org.jspecify.annotations.NullMarked;
