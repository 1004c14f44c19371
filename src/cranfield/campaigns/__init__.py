"""Simulated campaigns: runs and judgments made from a seed, for trying things out without anybody's data."""

from cranfield.campaigns.parameters import Parameters
from cranfield.campaigns.simulated import Campaign, simulate
from cranfield.campaigns.writing import write_campaign

__all__ = ["Campaign", "Parameters", "simulate", "write_campaign"]
