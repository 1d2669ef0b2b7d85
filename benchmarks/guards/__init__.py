"""Problems that the sampler must not lose: bits, and thin feasible regions."""
