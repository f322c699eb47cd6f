@NullMarked
package io.waybill.mongodb.internal.db;

import org.jspecify.annotations.NullMarked;
