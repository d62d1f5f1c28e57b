"""What runs on the code host: hooks, action, workflows, and the repository that `init` writes."""
