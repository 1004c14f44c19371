"""What every result offers, and tables as text: a result declares its table, and has all formats from here."""
