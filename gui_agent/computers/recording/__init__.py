"""Recording a person who uses a computer: what they do becomes steps like those of a run.

What hears the person differs from computer to computer; how what was heard becomes steps does not.
"""
