"""Which procedure an instruction asks for, and with which values."""
