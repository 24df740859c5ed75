"""One tab of the browser that the person has open, lent to a run by an extension."""
