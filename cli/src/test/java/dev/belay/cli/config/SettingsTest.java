package dev.belay.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Network;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The table of settings: everything in it is read, bounded, documented, and honest about restarts.
class SettingsTest {
    private static final Path PAGE = Path.of("..", "docs", "settings.md");
    private static final Pattern BOUNDS = Pattern.compile(".*, (?:from (.+) to (.+)|at least (.+?))(?: \\(.*)?");

    static Stream<Setting<?>> all() {
        return SettingNames.all().stream();
    }

    /// Those that a configuration has one value for.
    static Stream<Setting<?>> single() {
        return Settings.GROUPS.stream().filter(group -> !group.list()).flatMap(group -> group.settings().stream());
    }

    @ParameterizedTest
    @MethodSource("single")
    void everySettingIsReadByItsNameAndChangesNothingElse(Setting<?> setting) {
        Config config = with(setting, other(setting));
        assertThat(setting.value().apply(config)).hasToString(String.valueOf(read(setting, other(setting))));
        String partner = setting.name().contains("tls_") ? "server.tls_" : setting.name();
        assertThat(single().filter(one -> one.differs(Config.DEFAULT, config)).map(Setting::name))
                .contains(setting.name())
                .allMatch(name -> name.startsWith(partner));
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatIsOfAnotherKindIsRefusedWithItsPlaceAndWhatIsExpected(Setting<?> setting) {
        refused(setting, "1979-05-27");
    }

    @Test
    void whatIsOutOfBoundsIsRefusedWithTheBounds() {
        List<Setting<?>> bounded = all().filter(one -> BOUNDS.matcher(one.kind().expected()).matches()).toList();
        assertThat(bounded).hasSizeGreaterThan(40);
        for (Setting<?> setting : bounded) {
            Matcher bounds = BOUNDS.matcher(setting.kind().expected());
            assertThat(bounds.matches()).isTrue();
            refused(setting, beyond(bounds.group(1) != null ? bounds.group(1) : bounds.group(3), -1));
            if (bounds.group(2) != null) {
                refused(setting, beyond(bounds.group(2), 1));
            }
        }
    }

    /// A little below or above a bound, in TOML.
    private static String beyond(String bound, int step) {
        if (bound.matches("\\d+")) {
            return Long.toString(Long.parseLong(bound) + step);
        }
        if (bound.matches("[\\d.]+")) {
            return Double.toString(Double.parseDouble(bound) + step);
        }
        return bound.endsWith("B") || bound.endsWith("bytes")
                ? Long.toString(ByteSize.parse(bound.replace(" bytes", "")) + step)
                : "\"" + TimeSpan.text(TimeSpan.parse(bound).plusMillis(step)) + "\"";
    }

    private static void refused(Setting<?> setting, String toml) {
        assertThatThrownBy(() -> with(setting, toml)).as("%s = %s", setting.name(), toml)
                .hasMessageStartingWith("belay.toml:2:1: " + setting.name() + " must be " + setting.kind().expected());
    }

    // --- restarts ---

    @ParameterizedTest
    @MethodSource("single")
    void aChangeIsReportedIfAndOnlyIfItNeedsARestart(Setting<?> setting) {
        List<String> needed = Config.DEFAULT.restartNeeded(with(setting, other(setting)));
        if (setting.restart()) {
            assertThat(needed).contains(setting.name());
        } else {
            assertThat(needed).isEmpty();
        }
    }

    // --- the template and the page ---

    @Test
    void theTemplateIsTheDefaults() {
        assertThat(Config.parse(Config.template(), "belay.toml")).isEqualTo(Config.DEFAULT);
    }

    @Test
    void theTemplateIsTheDefaultsWhenEveryDefaultInItIsSet() {
        String template = Config.template();
        for (Setting<?> setting : all().toList()) {
            String line = "\n#" + setting.key() + " = " + setting.shown() + "\n";
            assertThat(template).contains(line);
            if (setting.example().isEmpty()) {
                int group =
                        template.indexOf("\n[" + setting.name().substring(0, setting.name().lastIndexOf('.')) + "]");
                int at = template.indexOf(line, group);
                template = template.substring(0, at + 1) + template.substring(at + 2);
            }
        }
        assertThat(template).contains("\nport = 10000\n", "\nbody_timeout = \"30s\"\n", "\nlog_bytes = \"8 MiB\"\n");
        assertThat(Config.parse(template, "belay.toml")).isEqualTo(Config.DEFAULT);
    }

    @Test
    void everyExampleInTheTemplateCanBeUsed() {
        String template =
                Config.template().replaceAll("(?m)^#(?=\\S)", "").replace("sha256:...", "sha256:" + "0".repeat(64));
        // A rule is either ready or has parts of its own.
        assertThat(template).contains("\nready = ");
        Config config = Config.parse(template.replaceAll("(?m)^ready = .*$", ""), "belay.toml");
        assertThat(config.server().accounts()).hasSize(1);
        assertThat(config.resources().together()).isNotNull();
    }

    @Test
    void everySettingIsExplained() {
        assertThat(all()).allMatch(one -> one.help().matches("\\S.*[.]"));
        assertThat(all()).allMatch(one -> one.example().isEmpty() == one.unset().isEmpty());
        assertThat(Config.template().lines()).allMatch(line -> line.length() <= 140);
    }

    @Test
    @Tag("source-tree")
    void thePageOfSettingsIsUpToDate() throws Exception {
        if (System.getenv("BELAY_WRITE_DOCS") != null) {
            Files.writeString(PAGE, SettingsPage.text());
        }
        assertThat(Files.readString(PAGE))
                .as("docs/settings.md; rewrite it with: BELAY_WRITE_DOCS=1 scripts/test SettingsTest")
                .isEqualTo(SettingsPage.text());
    }

    // --- values ---

    private static Object read(Setting<?> setting, String toml) {
        Object value = Objects.requireNonNull(org.tomlj.Toml.parse("a = " + toml).get("a"));
        return Objects.requireNonNull(setting.kind().read().apply(value));
    }

    /// A file that sets one of them, and whatever it does not go without, on its second line.
    private static Config with(Setting<?> setting, String toml) {
        String group = setting.name().substring(0, setting.name().lastIndexOf('.'));
        boolean list = Settings.GROUPS.stream().anyMatch(one -> one.name().equals(group) && one.list());
        String more = switch (setting.key()) {
            case "tls_cert" -> "tls_key = \"a\"\n";
            case "tls_key" -> "tls_cert = \"a\"\n";
            default -> list && !setting.key().equals("name") ? "name = \"a\"\n" : "";
        };
        return Config.parse(
                (list ? "[[" + group + "]]\n" : "[" + group + "]\n") + setting.key() + " = " + toml + "\n" + more,
                "belay.toml");
    }

    /// A value other than the default, in TOML.
    private static <T> String other(Setting<T> setting) {
        return setting.example().isEmpty()
                ? written(setting)
                : setting.key().equals("shell") ? "\"/bin/x\"" : setting.example();
    }

    private static <T> String written(Setting<T> setting) {
        return switch (setting.standard()) {
            case Integer number -> Integer.toString(number + 1);
            case Long number -> Long.toString(number * 2);
            case Duration time -> setting.key().endsWith("_ms")
                    ? Long.toString(time.toMillis() + 1)
                    : "\"" + TimeSpan.text(time.plusSeconds(1)) + "\"";
            case Optional<?> _ -> "\"1h\"";
            case Boolean flag -> Boolean.toString(!flag);
            case List<?> _ -> switch (setting.key()) {
                case "allowed_origins" -> "[\"https://box.example\"]";
                case "readable", "writable", "hidden" -> "[\"/box\"]";
                case "watch" -> "[\"agent\"]";
                case "by" -> "[\"landlock\"]";
                default -> "[\"box.example:1\"]";
            };
            case Network _ -> "[\"box.example:1\"]";
            case String text -> switch (text) {
                case "agent" -> "\"none\"";
                case "none" -> "\"limits\"";
                case "allow" -> "\"ask\"";
                case "workspace" -> "\"read-only\"";
                case "text" -> "\"both\"";
                default -> "\"" + text + "1\"";
            };
            default -> throw new AssertionError("another value of " + setting.name());
        };
    }
}
