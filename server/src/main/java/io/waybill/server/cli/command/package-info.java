@NullMarked
package io.waybill.server.cli.command;

import org.jspecify.annotations.NullMarked;
