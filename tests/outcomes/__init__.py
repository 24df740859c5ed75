"""A bed of labelled actions in real applications, which measures whether outcomes are true."""
