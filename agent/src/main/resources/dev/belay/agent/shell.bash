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
${functions}
__belay_command() {
    __belay_escape "$(builtin history 1)"
    builtin printf '\e]633;E;%s;k=${key}\a' "${__belay_text#*[0-9]  }"
}
unset PROMPT_COMMAND
PROMPT_COMMAND=__belay_prompt
PS0='$(__belay_command)\e]133;C;k=${key}\a'
PS1='\$ '
PS2='> '
