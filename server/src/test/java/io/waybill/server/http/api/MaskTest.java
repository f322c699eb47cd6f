package io.waybill.server.http.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.server.problem.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MaskTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "$.a        | {\"a\": 1, \"b\": 2}                       | {\"a\": \"***\", \"b\": 2}",
                "$.a.b      | {\"a\":{\"b\":\"x\",\"c\":1e400}}          | {\"a\":{\"b\":\"***\",\"c\":1e400}}",
                "$.a[*].b   | {\"a\":[{\"b\":1},{\"b\":[2,{}]}],\"b\":3} | {\"a\":[{\"b\":\"***\"},{\"b\":\"***\"}],\"b\":3}",
                "$.a[1]     | {\"a\":[1,2,3]}                            | {\"a\":[1,\"***\",3]}",
                "$..b       | {\"b\":1,\"a\":[{\"c\":{\"b\":null}}]}     | {\"b\":\"***\",\"a\":[{\"c\":{\"b\":\"***\"}}]}",
                "$.a..b     | {\"b\":1,\"a\":{\"x\":{\"b\":2}}}          | {\"b\":1,\"a\":{\"x\":{\"b\":\"***\"}}}",
                "$.a        | {\"a\": 1, \"a\": 2}                       | {\"a\": \"***\", \"a\": \"***\"}",
                "$.a        | {\"\\u0061\": \"\\u00e4\\\"\"}             | {\"\\u0061\": \"***\"}",
                "$.a        | [ 12345678901234567890.10 ]                | [ 12345678901234567890.10 ]"
            })
    void matchingValuesAreReplacedAndTheRestStaysAsItIs(String path, String json, String masked) {
        assertThat(Mask.of(List.of(path)).apply(json).text()).isEqualTo(masked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no JSON, with a secret", "{\"a\": \"secret", "{\"a\": secret}"})
    void ofATextThatIsNotJsonNothingIsShown(String text) {
        assertThat(Mask.of(List.of("$.b")).apply(text).text()).isEqualTo("\"***\"");
        assertThat(Mask.of(List.of()).apply(text).text()).isEqualTo(text);
    }

    /** Comparing paths at every depth must not take a long time, and nothing may be shown that was not compared. */
    @Test
    void ofDeepNestingNothingIsShown() {
        String json = "[".repeat(100_000) + "{\"b\":1}" + "]".repeat(100_000);
        assertThat(Mask.of(List.of("$..b")).apply(json).text()).isEqualTo("\"***\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "$", "$.", "$.a[", "$[?(@.x)]", "$.a b[x]", "$.a..", "$...a"})
    void otherPathsAreRefused(String path) {
        assertThatThrownBy(() -> Mask.of(List.of(path)))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("console.mask");
    }
}
