"""What notebooks show: scorecards, diagrams, the app."""
