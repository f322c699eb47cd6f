package io.waybill.jdbc.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person may write into a layout, and what is said when it is wrong. */
class LayoutParserTest {
    private static final String RIGHT = """
            table = shop.events
            id = id
            key = order_id
            type = kind
            payload = body
            order = number?, id
            waiting = sent_at IS NULL AND note <> 'a;b?'
            success.sent_at = now()
            dead.sent_at = 'infinity'
            """;

    @Test
    void theLayoutsThatComeAlongAreRight() {
        assertThat(Layout.names()).allSatisfy(name -> {
            Layout layout = Layout.of(name, Path.of(""));
            assertThat(layout.description()).isNotEmpty();
            assertThat(layout.table()).startsWith("public.");
            assertThat(layout.schema()).isEqualTo("waybill");
        });
    }

    @Test
    void aLayoutOfOnesOwnIsRead() {
        Layout layout = Layout.parse("mine", RIGHT);
        assertThat(layout.table()).isEqualTo("shop.events");
        assertThat(layout.payloadAlone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tabel = x => line 10 has an unknown key 'tabel' => Known are",
                "table = y => line 10 sets 'table' a second time => line 1 already",
                "headers => line 10 is not `key = value` => Comments begin with #",
                "headers =  => line 10 gives 'headers' no value => remove the line",
                "headers = meta -> 'x' => neither a column nor an expression => in parentheses",
                "topic = ('a' || kind => neither a column nor an expression => in parentheses",
                "topic = (kind)) => parenthesis that was not opened => Balance",
                "topic = (kind || 'a) => quote that it does not close => twice",
                "topic = (kind; DROP TABLE x) => has a semicolon => no statement",
                "topic = (kind -- or so) => has a comment => lines of their own",
                "topic = (body ? 'topic') => has a question mark => jsonb_exists",
                "headers? = meta => marks 'headers' as optional => behind the column's name",
                "envelope = cloudevents => knows no envelope 'cloudevents' => standard, or none",
                "schema = a.b => has no name of a schema => a single name",
                "success = archive => what becomes of a row: archive => success = delete",
                "failure.a b = 1 => names no column: a b => failure.column = value",
                "failure.x = :tries => uses :tries => :attempts, :error",
                "claim.x = :error => uses :error => failure and dead have",
            })
    void whatIsWrongIsSaidWithItsLineAndTheRemedy(String example) {
        String[] parts = example.split(" => ", -1);
        assertThatThrownBy(() -> Layout.parse("mine", RIGHT + parts[0] + "\n"))
                .hasMessageContaining("mine")
                .hasMessageContaining(parts[1])
                .hasMessageContaining(parts[2]);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id = id => id = (a || b) => has an id that is no column",
                "key = order_id => key = order_id? => makes 'key' optional",
                "order = number?, id => order = number? => no column in its order that must be there",
                "order = number?, id => order = lower(id) => orders by what is no column",
                "table = shop.events => table = a.b.c => has no name of a table",
                "waiting = sent_at => # => says nothing about 'waiting'",
                "success.sent_at = now() => # => what becomes of a row that is published",
                "dead.sent_at = 'infinity' => # => what becomes of a row that is given up on",
            })
    void whatMustBeThereIsMissed(String example) {
        String[] parts = example.split(" => ", -1);
        assertThatThrownBy(() -> Layout.parse("mine", RIGHT.replace(parts[0], parts[1])))
                .hasMessageContaining(parts[2]);
    }

    @Test
    void theErrorForAnUnknownLayoutListsTheExistingNames() {
        assertThatThrownBy(() -> Layout.of("claimed", Path.of("")))
                .hasMessageContaining("no layout 'claimed'")
                .hasMessageContaining(String.join(", ", Layout.names()));
    }
}
