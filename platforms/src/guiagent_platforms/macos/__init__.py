"""macOS: pictures by mss, mouse and keys by pyautogui, and elements from the picture alone."""
