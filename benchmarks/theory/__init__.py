"""The paper's theorems against measured regret."""
