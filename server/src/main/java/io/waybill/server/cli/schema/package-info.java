@NullMarked
package io.waybill.server.cli.schema;

import org.jspecify.annotations.NullMarked;
