// Overlaps of synthetic row pairs that a cluster of eight blocks holds: devices of compute capability 9.0 on.
#include "pairs.h"

CLUSTER_KERNEL(8, pairs_8, HELD) { held_overlaps<8>(cells, count, rows, in_shared, behind, behind_quads, out); }
