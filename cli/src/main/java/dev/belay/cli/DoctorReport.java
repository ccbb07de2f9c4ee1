package dev.belay.cli;

import dev.belay.Visible;
import dev.belay.cli.Finding.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// What `belay doctor` found, for people and for programs.
record DoctorReport(String version, List<Group> groups) {
    private static final int MARK_WIDTH = 7;
    private static final String MARGIN = "  ";

    /// Findings under one heading.
    record Group(String title, List<Finding> findings) {}

    long count(Status status) {
        return groups.stream()
                .flatMap(group -> group.findings().stream())
                .filter(finding -> finding.status() == status)
                .count();
    }

    boolean complete() {
        return count(Status.MISSING) == 0;
    }

    /// One line per fact; below notes and missing things, what they mean and how to fix them.
    String text(boolean coloured) {
        int labels = groups.stream()
                .flatMap(group -> group.findings().stream())
                .mapToInt(finding -> finding.label().length())
                .max()
                .orElse(0);
        StringBuilder text = new StringBuilder();
        for (Group group : groups) {
            text.append(style(group.title(), "1", coloured)).append('\n');
            for (Finding finding : group.findings()) {
                line(text, finding, labels, coloured);
            }
            text.append('\n');
        }
        return text.append(style(summary(), "1", coloured)).append('\n').toString();
    }

    private static void line(StringBuilder text, Finding finding, int labels, boolean coloured) {
        String mark = finding.status().word();
        text.append(MARGIN)
                .append(style(mark, finding.status().colour(), coloured))
                .append(" ".repeat(MARK_WIDTH - mark.length()))
                .append(MARGIN)
                .append(finding.label())
                .append(" ".repeat(labels - finding.label().length()))
                .append(MARGIN)
                .append(Visible.of(finding.value()))
                .append('\n');
        String indent = " ".repeat(MARGIN.length() * 3 + MARK_WIDTH + labels);
        if (!finding.meaning().isEmpty()) {
            text.append(indent).append(Visible.of(finding.meaning())).append('\n');
        }
        if (!finding.fix().isEmpty()) {
            text.append(indent).append("Fix: ").append(Visible.of(finding.fix())).append('\n');
        }
    }

    private String summary() {
        long lacks = count(Status.MISSING);
        long notes = count(Status.NOTE);
        String more = notes == 0 ? "." : notes == 1 ? " (1 note)." : " (" + notes + " notes).";
        if (lacks == 0) {
            return "Belay has everything it needs" + more;
        }
        return (lacks == 1 ? "One thing that Belay needs is missing" : lacks + " things that Belay needs are missing")
                + more;
    }

    private static String style(String text, String code, boolean coloured) {
        return coloured ? "\033[" + code + "m" + text + "\033[m" : text;
    }

    String json() {
        Map<String, Object> checks = new LinkedHashMap<>();
        for (Group group : groups) {
            for (Finding finding : group.findings()) {
                Map<String, Object> check = new LinkedHashMap<>();
                check.put("group", group.title());
                check.put("label", finding.label());
                check.put("status", finding.status().word());
                check.put("value", finding.value());
                check.put("meaning", finding.meaning());
                check.put("fix", finding.fix());
                check.put("data", finding.data());
                checks.put(finding.key(), check);
            }
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("belay", version);
        report.put("ok", complete());
        report.put("missing", keys(Status.MISSING));
        report.put("notes", keys(Status.NOTE));
        report.put("checks", checks);
        // In ASCII, so that no locale can garble it.
        return JsonMapper.builder()
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(report) + "\n";
    }

    private List<String> keys(Status status) {
        List<String> keys = new ArrayList<>();
        for (Group group : groups) {
            for (Finding finding : group.findings()) {
                if (finding.status() == status) {
                    keys.add(finding.key());
                }
            }
        }
        return keys;
    }
}
