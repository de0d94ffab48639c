"""RDK and TLI: drafting with a vocabulary that lacks some of the target's tokens."""
