/** What can go wrong, each in a class of its own, and when. */
@NullMarked
package io.waybill.chaos.fault;

import org.jspecify.annotations.NullMarked;
