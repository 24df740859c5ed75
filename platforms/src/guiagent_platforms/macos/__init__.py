"""macOS: pictures by mss, mouse and keys by pyautogui; elements come from the picture alone."""
