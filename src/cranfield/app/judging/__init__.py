"""Where judgments are made: the store keeps, the desk knows no web, the routes are one table, the pages ask them."""
