/** Servers that the tests of one JVM share. Tests that kill or suspend a server start one of their own. */
@NullMarked
package io.waybill.testkit.servers;

import org.jspecify.annotations.NullMarked;
