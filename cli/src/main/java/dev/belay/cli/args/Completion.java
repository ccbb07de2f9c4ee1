package dev.belay.cli.args;

import java.util.List;

/// Completion scripts for shells, from the syntax of all commands. Ids come from the server while a person types: the
/// scripts run `belay completion ids`.
public final class Completion {
    private static final String IDS = "belay completion ids 2>/dev/null";

    private Completion() {}

    /// What can stand at a place, by its label or its choices.
    private enum Kind {
        ID,
        FOLDER,
        FILE,
        CHOICE,
        COMMAND,
        NOTHING;

        static Kind of(String label, List<String> choices) {
            if (!choices.isEmpty()) {
                return CHOICE;
            }
            return switch (label) {
                case "ID" -> ID;
                case "DIR" -> FOLDER;
                case "FILE" -> FILE;
                case "COMMAND" -> COMMAND;
                default -> NOTHING;
            };
        }
    }

    private static String names(List<Syntax> commands) {
        return String.join(" ", commands.stream().map(Syntax::name).toList());
    }

    private static List<String> flags(Syntax syntax) {
        return syntax.options().stream().flatMap(option -> option.names().stream()).toList();
    }

    // --- bash ---

    public static String bash(List<Syntax> commands) {
        StringBuilder script = new StringBuilder("""
                _belay() {
                    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
                    local options='' words='' mode=words
                    COMPREPLY=()
                    if ((COMP_CWORD == 1)); then
                        COMPREPLY=($(compgen -W '@names --help --version' -- "$cur"))
                        return
                    fi
                    case $command:$prev in
                """.replace("@names", names(commands)));
        for (Syntax syntax : commands) {
            for (Option option : syntax.options()) {
                if (!option.isFlag()) {
                    script.append("        ").append(syntax.name()).append(':').append(option.name()).append(") ")
                            .append(bash(Kind.of(option.label(), option.choices()), option.choices()))
                            .append("; return ;;\n");
                }
            }
        }
        script.append("    esac\n    case $command in\n");
        for (Syntax syntax : commands) {
            script.append("        ").append(syntax.name()).append(")\n            options='")
                    .append(String.join(" ", flags(syntax))).append("'\n");
            for (Parameter parameter : syntax.parameters()) {
                Kind kind = Kind.of(parameter.label(), parameter.choices());
                switch (kind) {
                    case ID -> script.append("            [[ $cur == -* ]] || words+=\" $(" + IDS + ")\"\n");
                    case CHOICE -> script.append("            words+=' ").append(String.join(" ", parameter.choices()))
                            .append("'\n");
                    case COMMAND -> script.append("            mode=command\n");
                    case FOLDER, FILE, NOTHING -> {
                        // A name or a text of one's own.
                    }
                }
            }
            script.append("            ;;\n");
        }
        return script.append("""
                    esac
                    if [[ $cur == -* ]]; then
                        COMPREPLY=($(compgen -W "$options" -- "$cur"))
                    elif [[ $mode == command ]]; then
                        COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur"))
                    else
                        COMPREPLY=($(compgen -W "$words" -- "$cur"))
                    fi
                }
                complete -F _belay belay
                """).toString();
    }

    private static String bash(Kind kind, List<String> choices) {
        return switch (kind) {
            case ID -> "COMPREPLY=($(compgen -W \"$(" + IDS + ")\" -- \"$cur\"))";
            case FOLDER -> "COMPREPLY=($(compgen -d -- \"$cur\"))";
            case FILE -> "COMPREPLY=($(compgen -f -- \"$cur\"))";
            case CHOICE -> "COMPREPLY=($(compgen -W '" + String.join(" ", choices) + "' -- \"$cur\"))";
            case COMMAND, NOTHING -> ":";
        };
    }

    // --- zsh ---

    public static String zsh(List<Syntax> commands) {
        StringBuilder script = new StringBuilder("""
                #compdef belay
                _belay() {
                    if (( CURRENT == 2 )); then
                        local -a commands=(
                """);
        for (Syntax syntax : commands) {
            script.append("            ").append(quoted(syntax.name() + ":" + syntax.header())).append('\n');
        }
        script.append("""
                        )
                        _describe command commands
                        return
                    fi
                    case ${words[2]}:${words[CURRENT-1]} in
                """);
        for (Syntax syntax : commands) {
            for (Option option : syntax.options()) {
                if (!option.isFlag()) {
                    script.append("        ").append(syntax.name()).append(':').append(option.name()).append(") ")
                            .append(zsh(Kind.of(option.label(), option.choices()), option.choices()))
                            .append("; return ;;\n");
                }
            }
        }
        script.append("    esac\n    case ${words[2]} in\n");
        for (Syntax syntax : commands) {
            script.append("        ").append(syntax.name())
                    .append(")\n            [[ $PREFIX != -* ]] || { compadd -- ")
                    .append(String.join(" ", flags(syntax))).append("; return }\n");
            for (Parameter parameter : syntax.parameters()) {
                script.append("            ")
                        .append(zsh(Kind.of(parameter.label(), parameter.choices()), parameter.choices())).append('\n');
            }
            script.append("            ;;\n");
        }
        return script.append("""
                    esac
                }
                if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
                    _belay "$@"
                else
                    compdef _belay belay
                fi
                """).toString();
    }

    private static String zsh(Kind kind, List<String> choices) {
        return switch (kind) {
            case ID -> "compadd -- ${(f)\"$(" + IDS + ")\"}";
            case FOLDER -> "_files -/";
            case FILE -> "_files";
            case CHOICE -> "compadd -- " + String.join(" ", choices);
            case COMMAND -> "_command_names; _files";
            case NOTHING -> ":";
        };
    }

    // --- fish ---

    public static String fish(List<Syntax> commands) {
        StringBuilder script = new StringBuilder("""
                complete -c belay -f
                complete -c belay -n __fish_use_subcommand -s h -l help -d 'Show this help.'
                complete -c belay -n __fish_use_subcommand -s V -l version -d 'Show the version.'
                """);
        for (Syntax syntax : commands) {
            script.append("complete -c belay -n __fish_use_subcommand -a ").append(syntax.name()).append(" -d ")
                    .append(quoted(syntax.header())).append('\n');
            String after = "complete -c belay -n '__fish_seen_subcommand_from " + syntax.name() + "'";
            for (Option option : syntax.options()) {
                script.append(after);
                for (String name : option.names()) {
                    script.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
                }
                script.append(option.isFlag() ? "" : fish(Kind.of(option.label(), option.choices()), option.choices()))
                        .append(" -d ").append(quoted(option.help())).append('\n');
            }
            for (Parameter parameter : syntax.parameters()) {
                Kind kind = Kind.of(parameter.label(), parameter.choices());
                if (kind == Kind.ID || kind == Kind.CHOICE) {
                    script.append(after).append(fish(kind, parameter.choices()).replace(" -x", "")).append('\n');
                } else if (kind == Kind.COMMAND) {
                    script.append(after).append(" -F -a '(__fish_complete_command)'\n");
                }
            }
        }
        return script.toString();
    }

    private static String fish(Kind kind, List<String> choices) {
        return switch (kind) {
            case ID -> " -x -a '(" + IDS + ")'";
            case FOLDER -> " -x -a '(__fish_complete_directories)'";
            case FILE -> " -r -F";
            case CHOICE -> " -x -a " + quoted(String.join(" ", choices));
            case COMMAND, NOTHING -> " -x";
        };
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
