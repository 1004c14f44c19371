"""What can be asked of joined runs: a subject a module, tables and figures as answers. Nothing here knows the web."""
