# Belay's marks for fish: read by --init-command, then deleted.
set -g fish_greeting
set -g fish_color_command normal
set -g fish_autosuggestion_enabled 0
fish_default_key_bindings
functions -e fish_right_prompt fish_mode_prompt
function fish_title
end
function __belay_escape
    string replace -a \\ '\\x5c' -- $argv[1] | string replace -a ';' '\\x3b' | string replace -a \e '\\x1b' | string replace -a \a '\\x07' | string join '\\x0a'
end
function __belay_command --on-event fish_preexec
    builtin printf '\e]633;E;%s;k=${key}\a\e]133;C;k=${key}\a' (__belay_escape $argv[1])
end
function __belay_done --on-event fish_postexec
    set -l code $status
    builtin printf '\e]133;D;%s;k=${key}\a' $code
end
function fish_prompt
    builtin printf '\e]633;P;Cwd=%s;k=${key}\a\e]133;A;k=${key}\a> ' (__belay_escape $PWD)
end
