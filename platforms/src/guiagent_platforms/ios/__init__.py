"""iPhones and iPads through the HTTP interface of WebDriverAgent."""
