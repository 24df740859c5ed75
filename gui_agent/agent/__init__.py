"""The loop and its parts: planning, grounding, guarding, acting, checking, without vendor or device code."""
