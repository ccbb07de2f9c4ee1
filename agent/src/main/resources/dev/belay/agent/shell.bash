# Belay's marks for bash: read by 'bash --posix' as ENV, then deleted.
set +o posix
unset ENV
[ ! -r /etc/profile ] || . /etc/profile
for __belay_file in ~/.bash_profile ~/.bash_login ~/.profile; do
    if [ -r "$__belay_file" ]; then
        . "$__belay_file"
        break
    fi
done
unset __belay_file HISTFILE HISTTIMEFORMAT
trap - DEBUG
set +eux -o emacs +o histexpand -o history
shopt -s lithist cmdhist promptvars
HISTCONTROL=
bind 'set enable-bracketed-paste on' 2>/dev/null
bind 'set bell-style none' 2>/dev/null
bind 'set enable-active-region off' 2>/dev/null
__belay_escape() {
    __belay_text=${1//\\/\\x5c}
    __belay_text=${__belay_text//;/\\x3b}
    __belay_text=${__belay_text//$'\n'/\\x0a}
    __belay_text=${__belay_text//$'\e'/\\x1b}
    __belay_text=${__belay_text//$'\a'/\\x07}
}
__belay_command() {
    __belay_escape "$(builtin history 1)"
    builtin printf '\e]633;E;%s;k=${key}\a' "${__belay_text#*[0-9]  }"
}
__belay_prompt() {
    local code=$?
    __belay_escape "$PWD"
    builtin printf '\e]133;D;%s;k=${key}\a\e]633;P;Cwd=%s;k=${key}\a\e]133;A;k=${key}\a' "$code" "$__belay_text"
}
unset PROMPT_COMMAND
PROMPT_COMMAND=__belay_prompt
PS0='$(__belay_command)\e]133;C;k=${key}\a'
PS1='\$ '
PS2='> '
