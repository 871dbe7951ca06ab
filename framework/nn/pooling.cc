#include <fmt/format.h>

#include <loci/nn/pooling.hpp>
#include <utility>

#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {
namespace {

Pool2dOptions of_type(Pool2dOptions options, const char* type) {
  options.pooling_type = type;
  return options;
}

Pool2dOptions side_by_side(const char* module, std::int64_t size) {
  check_positive(module, "size", size);
  Pool2dOptions options;
  options.ksize = {size, size};
  options.strides = {size, size};
  return options;
}

std::string describe(const Pool2dOptions& options) {
  if (options.global_pooling) return "global_pooling=True";
  std::string text =
      fmt::format("kernel_size={}, strides={}", list(options.ksize), list(options.strides));
  if (options.padding_algorithm == "EXPLICIT") {
    text += fmt::format(", paddings={}", list(options.paddings));
  } else {
    text += fmt::format(", padding_algorithm={}", options.padding_algorithm);
  }
  return text + fmt::format(", ceil_mode={}", truth(options.ceil_mode));
}

}  // namespace

MaxPool2d::MaxPool2d(Pool2dOptions options) : options_(of_type(std::move(options), "max")) {}
MaxPool2d::MaxPool2d(std::int64_t size) : MaxPool2d(side_by_side("MaxPool2d", size)) {}
Tensor MaxPool2d::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return pool2d(x, options_);
}
std::string MaxPool2d::arguments() const { return describe(options_); }

AvgPool2d::AvgPool2d(Pool2dOptions options) : options_(of_type(std::move(options), "avg")) {}
AvgPool2d::AvgPool2d(std::int64_t size) : AvgPool2d(side_by_side("AvgPool2d", size)) {}
Tensor AvgPool2d::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return pool2d(x, options_);
}
std::string AvgPool2d::arguments() const { return describe(options_); }

}  // namespace nn
}  // namespace v0
}  // namespace loci
