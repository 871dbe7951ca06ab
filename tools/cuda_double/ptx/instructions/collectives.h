// Barriers and collectives share these functions.
#pragma once

namespace loci::cuda_double {

class Translator;

// bar.warp.sync: its lanes meet, and see each other's writes.
void translate_warp_barrier(Translator& translator);

}  // namespace loci::cuda_double
