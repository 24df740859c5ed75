"""The DevTools protocol as the browser computer uses it: socket, isolated world, errors."""
