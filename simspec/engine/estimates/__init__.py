"""What blocks of rows say: integer statistics, intervals, confidence sequences, stopping rules."""
