"""macOS: pictures by mss, mouse and keys by pyautogui; elements only from the picture."""
