package dev.belay.cli;

import dev.belay.SessionException;
import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.Completion;
import dev.belay.cli.args.Similar;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.UsageException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// `belay completion SHELL`: prints the completion script of a shell.
final class CompletionCommand implements Command {
    private static final String ABOUT = """
            Prints a script that lets a shell complete commands, options and the ids of
            sessions. 'belay completion ids' prints these ids, one per line.""";

    private static final String EXAMPLES = """
            @|bold Examples:|@
              belay completion bash > ~/.local/share/bash-completion/completions/belay
              belay completion zsh > ~/.zfunc/_belay     # with fpath+=~/.zfunc in ~/.zshrc
              belay completion fish > ~/.config/fish/completions/belay.fish""";

    @Override
    public Syntax syntax() {
        return Syntax.of("completion", "Print a completion script.", "belay completion bash|zsh|fish")
                .ofClient()
                .description(ABOUT)
                .parameter("SHELL", "bash, zsh or fish.", "bash", "zsh", "fish")
                .footer(EXAMPLES);
    }

    @Override
    public int run(Arguments given) {
        String shell = given.words().getFirst();
        switch (shell) {
            case "bash" -> Output.text(Completion.bash(Commands.all()));
            case "zsh" -> Output.text(Completion.zsh(Commands.all()));
            case "fish" -> Output.text(Completion.fish(Commands.all()));
            case "ids" -> ids(given);
            default -> throw new UsageException("unknown shell '" + shell + "'"
                    + Similar.suggestion(shell, List.of("bash", "zsh", "fish")));
        }
        return 0;
    }

    /// Without a server there is nothing to complete, and a message would appear in the line that a person edits.
    private static void ids(Arguments given) {
        try {
            for (JsonNode record : ServerOptions.client(given).get("/api/sessions").path("sessions")) {
                Output.line(record.path("id").asString(""));
            }
        } catch (SessionException _) {
            // Nothing to offer.
        }
    }
}
