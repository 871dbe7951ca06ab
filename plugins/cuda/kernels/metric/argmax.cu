// Where the largest elements are: kernels as reduce.cuh says.
#include "kernels/launch/block_threads.h"
#include "kernels/reduce/reduce_folds.cuh"

namespace loci::cuda {

LOCI_REDUCE_NUMBERS(argmax, ArgMaxFold)

}  // namespace loci::cuda
