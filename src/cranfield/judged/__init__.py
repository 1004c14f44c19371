"""Judged rankings: what is asked of an evaluation, judgments, runs joined with them, and the audit of both."""
