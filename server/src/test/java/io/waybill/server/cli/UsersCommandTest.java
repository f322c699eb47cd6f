package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsersCommandTest {
    private static final String PASSWORD = "a long enough password";

    @TempDir
    private Path folder;

    private Result run(String input, String... args) {
        return new Waybill(folder).input(input).run(args);
    }

    @Test
    void usersAreAddedListedAndRemoved() throws IOException {
        Result added = run(PASSWORD + "\n", "users", "add", "alice", "--role", "operator");
        assertThat(added.exit()).as(added.err()).isZero();
        assertThat(added.out()).isEqualToIgnoringNewLines("Added alice as operator.");
        assertThat(run("", "users", "list").out()).contains("alice", "operator");
        assertThat(run("", "users", "list", "--json").out()).contains("{\"name\":\"alice\",\"role\":\"operator\"}");
        String before = Files.readString(folder.resolve("waybill-users"));
        assertThat(before).doesNotContain(PASSWORD);
        assertThat(run("another " + PASSWORD, "users", "password", "alice").exit())
                .isZero();
        assertThat(Files.readString(folder.resolve("waybill-users"))).isNotEqualTo(before);
        assertThat(run("", "users", "remove", "alice").exit()).isZero();
        assertThat(run("", "users", "list").err()).contains("There are no users");
    }

    @Test
    void mistakesAreExplained() {
        assertThat(run(PASSWORD, "users", "add", "bob", "--role", "root").err()).contains("viewer, operator, admin");
        assertThat(run("short", "users", "add", "bob", "--role", "viewer").err())
                .contains("12 to 1000 characters");
        assertThat(run("", "users", "add", "bob", "--role", "viewer").err()).contains("standard input");
        assertThat(run(PASSWORD, "users", "add", "b:b", "--role", "viewer").err())
                .contains("not a valid name");
        assertThat(run("", "users", "remove", "bob").exit()).isEqualTo(5);
        assertThat(run(PASSWORD, "users", "add", "bob", "--role", "viewer").exit())
                .isZero();
        assertThat(run(PASSWORD, "users", "add", "bob", "--role", "admin").err())
                .contains("already");
    }

    @Test
    void aDamagedFileIsReportedWithItsLine() throws IOException {
        Files.writeString(folder.resolve("waybill-users"), "# users\nalice:operator:plain-password\n");
        Result list = run("", "users", "list");
        assertThat(list.exit()).isEqualTo(2);
        assertThat(list.err()).contains("Line 2").doesNotContain("plain-password");
    }
}
