"""The loop and its parts: planning, grounding, guarding, acting, checking. No vendor, no device."""
