// Normal numbers of given words: normal_pairs(words, out), for each thread two words, whichever
// they are, and the pair that they make.
#include "kernels/random/box_muller.cuh"

extern "C" __global__ void normal_pairs(const std::uint32_t* words, float* out) {
  const unsigned first = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  const float radius = loci::cuda::root(2 * loci::cuda::minus_log_of_unit(words[first]));
  const loci::cuda::Direction at = loci::cuda::direction(words[first + 1]);
  out[first] = radius * at.cosine;
  out[first + 1] = radius * at.sine;
}
