PS1='user@guest:\w$ '
