"""GitHub's REST interface, as far as a bot calls it: one file of routes for each resource."""
