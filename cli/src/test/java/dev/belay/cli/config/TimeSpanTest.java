package dev.belay.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSpanTest {
    @ParameterizedTest
    @CsvSource({
            "90, PT1M30S, 1m30s",
            "1.5, PT1.5S, 1.5s",
            "30s, PT30S, 30s",
            "5m, PT5M, 5m",
            "1h30m, PT1H30M, 1h30m",
            "500ms, PT0.5S, 500ms",
            "2d, PT48H, 48h",
            ".5, PT0.5S, 500ms",
            "1m30.25s, PT1M30.25S, 1m30.25s"
    })
    void timesAreReadAndWrittenAsPeopleDo(String text, Duration span, String shortest) {
        assertThat(TimeSpan.parse(text)).isEqualTo(span);
        assertThat(TimeSpan.text(span)).isEqualTo(shortest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "s", "5x", "1..5", ".", "5m3", "1e9", "5 m", "0.0000000001",
            "99999999999999999999",
            "NaN", "１"})
    void whatIsNoTimeIsRefusedWithExamples(String text) {
        assertThatThrownBy(() -> TimeSpan.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1h30m");
    }
}
