package dev.belay.cli;

import dev.belay.cli.args.Arguments;
import dev.belay.cli.args.Command;
import dev.belay.cli.args.ManPage;
import dev.belay.cli.args.Parameter;
import dev.belay.cli.args.Similar;
import dev.belay.cli.args.Syntax;
import dev.belay.cli.args.Usage;
import dev.belay.cli.args.UsageException;
import java.util.List;

/// `belay help [COMMAND]`: shows the help of Belay or of a command.
final class HelpCommand implements Command {
    @Override
    public Syntax syntax() {
        return Syntax.of("help", "Show the help of a command.", "belay help [COMMAND]")
                .ofClient()
                .description("Shows the help of Belay or of a command, or its manual page.")
                .flag("--man", "Print a manual page, for 'man -l -'.")
                .with(new Parameter("COMMAND", "", 0, 1, Commands.NAMES))
                .footer("@|bold Examples:|@\n  belay help open\n  belay help --man open | man -l -");
    }

    @Override
    public int run(Arguments given) {
        String name = given.word(0);
        boolean man = given.flag("--man");
        if (name == null) {
            System.out.print(man ? ManPage.ofBelay(Commands.all()) : Commands.help(Stdio.coloured()));
            return 0;
        }
        Command command = Commands.find(name).orElseThrow(() -> unknown(name));
        Syntax syntax = command.syntax();
        System.out.print(man ? ManPage.of(syntax) : Usage.of(syntax, Stdio.coloured()));
        return 0;
    }

    static UsageException unknown(String name) {
        List<String> names = Commands.NAMES;
        return new UsageException("unknown command '" + name + "'" + Similar.suggestion(name, names));
    }
}
