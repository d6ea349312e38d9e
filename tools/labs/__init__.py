"""The course labs: their student copies are made here, and what comes back is graded."""
