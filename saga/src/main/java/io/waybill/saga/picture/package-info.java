/** Pictures of definitions and executions, and what can be said about a definition without running it. */
@NullMarked
package io.waybill.saga.picture;

import org.jspecify.annotations.NullMarked;
