"""What every part knows about a screen: roles, text, matching, describing, searching, abstraction."""
