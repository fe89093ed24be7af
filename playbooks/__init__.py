"""The playbooks that come with the package; ``README.md`` beside them describes the format."""
