package dev.belay.mcp;

import dev.belay.Approval;
import dev.belay.Quoted;
import dev.belay.SessionRecord;
import dev.belay.Visible;
import dev.belay.agent.AgentTools;
import dev.belay.agent.CloseResult;
import dev.belay.agent.ExecResult;
import dev.belay.agent.ListResult;
import dev.belay.agent.OutputResult;
import dev.belay.agent.ToolResult;
import dev.belay.screens.ShellCommand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The answers of the tools as a model reads them: the output as it is, then one status line in brackets where there
/// is something to say. It holds every fact that a model needs: as JSON, each line break and quote of the output would
/// cost extra tokens.
final class AnswerText {
    private static final int MAX_COMMAND_CHARS = 100;

    private final StringBuilder text = new StringBuilder();

    private AnswerText() {}

    static String of(ToolResult result) {
        AnswerText answer = new AnswerText();
        switch (result) {
            case ExecResult exec -> answer.exec(exec);
            case OutputResult read -> answer.read(read);
            case ListResult list -> answer.list(list);
            case CloseResult close -> answer.close(close);
        }
        return answer.text.toString();
    }

    private void exec(ExecResult exec) {
        output(exec.output());
        List<String> facts = new ArrayList<>();
        if (exec.error() != null) {
            facts.add(exec.error().code() + ": " + exec.error().message());
        }
        if (exec.sessionId() != null) {
            boolean says = exec.running() || !exec.approvals().isEmpty() || exec.survivors() > 0 || exec.hint() != null
                    || !Integer.valueOf(0).equals(exec.exitCode());
            if (says || exec.output().isEmpty()) {
                facts.add(state(exec.running(), exec.signal(), exec.exitCode()));
            }
            if (exec.running() || exec.survivors() > 0) {
                facts.add("session " + exec.sessionId());
            }
            if (exec.running()) {
                input(facts, exec.echoOff(), exec.waitingForInput());
            }
            survivors(facts, exec.survivors());
            exec.approvals().forEach(approval -> facts.add(approval(approval)));
            if (exec.hint() != null) {
                facts.add(exec.hint());
            }
        }
        status(facts);
    }

    private static String approval(Approval approval) {
        String command = "'" + approval.command().text() + "'";
        String rule = approval.rule() == null ? "" : " (rule " + Quoted.of(approval.rule()) + ")";
        return switch (approval.state()) {
            case PENDING -> "waits for approval: " + command + rule;
            case EXPIRED -> "refused, nobody approved it in time: " + command + rule;
            case REFUSED -> (approval.reason() == Approval.Reason.NOBODY
                    ? "refused, nobody can be asked: "
                    : "refused, too many wait for approval already: ") + command + rule;
            default -> "refused: " + command + rule;
        };
    }

    private void read(OutputResult read) {
        output(read.output());
        List<String> facts = new ArrayList<>();
        if (read.error() != null) {
            facts.add(read.error().code() + ": " + read.error().message());
        } else {
            if (read.running() || !Integer.valueOf(0).equals(read.exitCode()) || read.output().isEmpty()) {
                facts.add(state(read.running(), null, read.exitCode()));
            }
            if (read.truncated()) {
                facts.add("more: from=" + read.next());
            }
        }
        status(facts);
    }

    private void list(ListResult list) {
        list.sessions().forEach(this::line);
        List<String> facts = new ArrayList<>();
        if (list.error() != null) {
            facts.add(list.error().code() + ": " + list.error().message());
        } else if (list.sessions().isEmpty()) {
            facts.add("no sessions");
        }
        status(facts);
    }

    private void line(ListResult.Entry entry) {
        SessionRecord session = entry.session();
        List<String> facts = new ArrayList<>();
        facts.add(state(session.exitCode() == null, session.signal(), session.exitCode()));
        if (session.exitCode() == null) {
            input(facts, false, entry.waitingForInput());
        }
        survivors(facts, session.survivors());
        if (entry.unreadBytes() > 0) {
            facts.add("unread: " + entry.unreadBytes() + " bytes");
        }
        String shell = session.labels().get(AgentTools.SHELL_LABEL);
        String command = shell != null
                ? shell
                : session.args().isEmpty() ? session.command() : session.args().getLast();
        text.append(session.id()).append(": ")
                .append(oneLine(command))
                .append(" [").append(String.join(", ", facts)).append("]\n");
        for (ShellCommand one : entry.commands()) {
            String how = one.running() ? "running" : one.exitCode() == null ? "exit unknown" : "exit " + one.exitCode();
            text.append("  $ ").append(one.command() == null ? "?" : oneLine(one.command()))
                    .append(" [").append(how).append("]\n");
        }
    }

    /// The beginning of a command, without what would break the line.
    private static String oneLine(String command) {
        String line = Visible.of(command.strip().replaceAll("\\s*\\R\\s*", "; "));
        return line.codePointCount(0, line.length()) <= MAX_COMMAND_CHARS
                ? line
                : line.substring(0, line.offsetByCodePoints(0, MAX_COMMAND_CHARS)) + "...";
    }

    private void close(CloseResult close) {
        List<String> facts = new ArrayList<>();
        if (close.error() != null) {
            facts.add(close.error().code() + ": " + close.error().message());
        } else {
            facts.add("closed");
            if (close.exitCode() != null) {
                facts.add(state(false, close.signal(), close.exitCode()));
            }
            if (close.ended() > 0) {
                facts.add("ended " + processes(close.ended())
                        + (close.killed() > 0 ? " (" + close.killed() + " killed)" : ""));
            }
        }
        status(facts);
    }

    private void output(String output) {
        text.append(output.replace("\r\n", "\n"));
    }

    private void status(List<String> facts) {
        if (facts.isEmpty()) {
            return;
        }
        if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
            text.append('\n');
        }
        text.append('[').append(String.join(", ", facts)).append(']');
    }

    private static String state(boolean running, @Nullable String signal, @Nullable Integer exitCode) {
        if (running) {
            return "running";
        }
        return exitCode == null ? "ended" : "exit " + exitCode + (signal == null ? "" : " by " + signal);
    }

    private static void input(List<String> facts, boolean echoOff, @Nullable Boolean waiting) {
        if (echoOff) {
            facts.add("wants a password");
        } else if (Boolean.TRUE.equals(waiting)) {
            facts.add("waits for input");
        }
    }

    private static void survivors(List<String> facts, int count) {
        if (count > 0) {
            facts.add("left running: " + processes(count));
        }
    }

    private static String processes(int count) {
        return count == 1 ? "1 process" : count + " processes";
    }
}
