#include <fmt/format.h>

#include <loci/nn/flatten.hpp>
#include <loci/ops/shape.hpp>

namespace loci {
inline namespace v0 {
namespace nn {

Tensor Flatten::forward(const Tensor& x) { return flatten(x, axis_); }
std::string Flatten::arguments() const { return fmt::format("axis={}", axis_); }

}  // namespace nn
}  // namespace v0
}  // namespace loci
