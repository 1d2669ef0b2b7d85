"""Many workers on one study: kills, joint rounds, and the overhead of the protocol.

The protocol is that by which workers share plans (docs/protocol.md). A plan is a set of points
that were chosen together.
"""
