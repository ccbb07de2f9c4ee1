# Belay's marks for zsh: read as .zshenv, then deleted.
unset ZDOTDIR
setopt no_rcs
[[ ! -r ~/.zshenv ]] || source ~/.zshenv
for __belay_file in /etc/zsh/zprofile /etc/zprofile ${ZDOTDIR:-~}/.zprofile; do
    [[ ! -r $__belay_file ]] || source $__belay_file
done
unset __belay_file HISTFILE RPROMPT
setopt no_bang_hist no_prompt_sp no_prompt_cr interactive_comments no_beep no_err_exit no_xtrace unset
bindkey -e
zle_highlight=(none)
${functions}
__belay_command() {
    __belay_escape "$1"
    builtin printf '\e]633;E;%s;k=${key}\a\e]133;C;k=${key}\a' "$__belay_text"
}
precmd_functions=(__belay_prompt)
preexec_functions=(__belay_command)
PS1='%# '
PS2='> '
