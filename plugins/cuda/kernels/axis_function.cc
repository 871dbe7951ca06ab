#include "kernels/axis_function.h"

namespace loci::cuda {
AxisFunction::AxisFunction(const sdk::Prepare& prepare, const KernelImage& image,
                           const std::string& name, const AxisVectors& vectors)
    : layout_(vectors.layout),
      threads_(threads_of(vectors)),
      function_(prepare, image,
                name + (vectors.are_rows ? "_rows_" : "_columns_") + std::to_string(vectors.held)) {
}

}  // namespace loci::cuda
