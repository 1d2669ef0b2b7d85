"""Many workers on one study: kills, joint rounds, and the overhead of the protocol."""
