// Overlaps of synthetic row pairs that a block holds: for few tokens, and for devices without clusters.
#include "pairs.h"

KERNEL(pairs_1, HELD) { held_overlaps<1>(cells, count, rows, in_shared, behind, behind_quads, out); }
