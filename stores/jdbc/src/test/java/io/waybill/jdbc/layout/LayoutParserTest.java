package io.waybill.jdbc.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The syntax of layouts, and the errors for invalid ones. */
class LayoutParserTest {
    private static final String VALID = """
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
    void theBuiltInLayoutsAreValid() {
        assertThat(Layout.names()).allSatisfy(name -> {
            Layout layout = Layout.of(name, Path.of(""));
            assertThat(layout.description()).isNotEmpty();
            assertThat(layout.table()).startsWith("public.");
            assertThat(layout.schema()).isEqualTo("waybill");
        });
    }

    @Test
    void aCustomLayoutIsParsed() {
        Layout layout = Layout.parse("mine", VALID);
        assertThat(layout.table()).isEqualTo("shop.events");
        assertThat(layout.payloadAlone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tabel = x => line 10 has an unknown key 'tabel' => The keys are",
                "table = y => line 10 sets 'table' a second time => Line 1 sets it already",
                "headers => line 10 is not `key = value` => Comments begin with #",
                "headers =  => line 10 gives 'headers' no value => remove the line",
                "headers = meta -> 'x' => neither a column nor an expression => in parentheses",
                "topic = ('a' || kind => neither a column nor an expression => in parentheses",
                "topic = (kind)) => parenthesis that was not opened => Balance",
                "topic = (kind || 'a) => quote that it does not close => Double a quote",
                "topic = (kind; DROP TABLE x) => has a semicolon => not a statement",
                "topic = (kind -- or so) => has a comment => separate lines",
                "topic = (body ? 'topic') => has a question mark => jsonb_exists",
                "headers? = meta => marks 'headers' as optional => after the column",
                "on-retention = keep => has an unknown value for on-retention 'keep' => delete or archive",
                "on-retention = archive => sets on-retention without 'archive' => Add a line such as",
                "on-retention = delete => sets on-retention without 'finished' => finished = status = 'sent'",
                "archive = a.b.c => has an invalid archive name => schema.table",
                "envelope = cloudevents => has an unknown envelope 'cloudevents' => standard, or none",
                "schema = a.b => has an invalid schema name => a single name",
                "success = archive => has an invalid value for 'success': archive => success = delete",
                "failure.a b = 1 => has an invalid column name: a b => failure.column = value",
                "failure.x = :tries => uses :tries => :attempts, :error",
                "claim.x = :error => uses :error, which is not available in claim => Only failure and dead have",
            })
    void anErrorNamesItsLineAndTheRemedy(String example) {
        String[] parts = example.split(" => ", -1);
        assertThatThrownBy(() -> Layout.parse("mine", VALID + parts[0] + "\n"))
                .hasMessageContaining("mine")
                .hasMessageContaining(parts[1])
                .hasMessageContaining(parts[2]);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id = id => id = (a || b) => has an id that is not a column",
                "key = order_id => key = order_id? => makes 'key' optional",
                "order = number?, id => order = number? => has only optional columns in its order",
                "order = number?, id => order = lower(id) => orders by an expression",
                "table = shop.events => table = a.b.c => has an invalid table name",
                "waiting = sent_at => # => lacks the key 'waiting'",
                "success.sent_at = now() => # => final state of a row that is published",
                "dead.sent_at = 'infinity' => # => final state of a row that is a dead letter",
            })
    void aMissingOrInvalidRequiredKeyIsAnError(String example) {
        String[] parts = example.split(" => ", -1);
        assertThatThrownBy(() -> Layout.parse("mine", VALID.replace(parts[0], parts[1])))
                .hasMessageContaining(parts[2]);
    }

    @Test
    void theErrorForAnUnknownLayoutListsTheExistingNames() {
        assertThatThrownBy(() -> Layout.of("claimed", Path.of("")))
                .hasMessageContaining("no layout 'claimed'")
                .hasMessageContaining(String.join(", ", Layout.names()));
    }
}
