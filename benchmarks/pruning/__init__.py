"""Studies with pruners: how far samplers get when most trials are stopped early."""
