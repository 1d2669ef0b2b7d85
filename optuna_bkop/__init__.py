"""An Optuna sampler that chooses whole batches of trials together."""
