package dev.belay.cli.config;

import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.Policy;
import dev.belay.agent.Rule;
import dev.belay.agent.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// `[agent]`: how the agent tools behave.
final class AgentSection {
    private AgentSection() {}

    static AgentSettings read(Section section) {
        AgentSettings standard = AgentSettings.DEFAULT;
        Map<String, String> env = new HashMap<>(
                isWord(section, "profile", "agent", "none") ? AgentSettings.PROFILE : Map.of());
        env.putAll(section.map("env"));
        boolean approximate = isWord(section, "tokenizer", "approximate", "exact");
        AgentSettings settings = standard
                .maxSessions(section.count("max_sessions", 1, 100_000).orElse(standard.maxSessions()))
                .idleTimeout(section.time("idle_timeout").orElse(standard.idleTimeout()))
                .maxCall(millis(section, "max_call_ms", 1, standard.maxCall()))
                .yields(millis(section, "yield_time_ms", 0, standard.yield()),
                        millis(section, "toolchain_yield_time_ms", 0, standard.toolchainYield()))
                .env(env)
                .shell(section.text("shell").orElse(standard.shell()))
                .tokens(approximate ? standard.tokens() : Tokens.exact())
                .collapseProgress(section.flag("collapse_progress").orElse(standard.collapseProgress()))
                .oneBuildAtATime(section.flag("one_build_at_a_time").orElse(standard.oneBuildAtATime()))
                .policy(Policy.of(rules(section.sections("rules"))));
        section.requireNoMore();
        return settings;
    }

    /// Whether the first of two words stands there; it does where nothing does.
    private static boolean isWord(Section section, String key, String first, String second) {
        String word = section.text(key).orElse(first);
        if (!word.equals(first) && !word.equals(second)) {
            throw section.wrong(key, "\"" + first + "\" or \"" + second + "\"");
        }
        return word.equals(first);
    }

    private static Duration millis(Section section, String key, int least, Duration standard) {
        return section.count(key, least, Integer.MAX_VALUE).map(Duration::ofMillis).orElse(standard);
    }

    private static List<Rule> rules(List<Section> sections) {
        List<Rule> rules = new ArrayList<>();
        for (Section section : sections) {
            String name = section.text("name").orElseThrow(() -> section.wrong("name", "needed"));
            boolean deny = isWord(section, "action", "deny", "allow");
            List<String> programs = section.texts("programs").orElse(List.of());
            String match = section.text("match").orElse(null);
            section.requireNoMore();
            try {
                rules.add(new Rule(name, !deny, programs, match));
            } catch (SessionException e) {
                throw section.refused("name", e);
            }
        }
        return rules;
    }
}
