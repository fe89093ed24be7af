"""Storage: the contract, the repositories over it, and the backends."""
