"""GitHub's API, behind the tracker contract. githubkit is named in this package only."""
