"""The deck and its proofs. Knows no rule of the game.

Read in this order: `group` (points and scalars), `transcript` and `context` (how a challenge comes about), `shuffle`,
`lock`, `deck` (the verbs that the table uses), `epoch_secrets` (one's own side), then `hand`, `box` and `escrow`.
"""
