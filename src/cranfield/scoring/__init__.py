"""From judged rankings to scores: batches to blocks, engines, panels to compare, and the door for qrels and runs."""
