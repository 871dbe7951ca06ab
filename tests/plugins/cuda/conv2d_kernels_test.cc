// The kernels of convolutions in the interpreter itself: each form of them for any shape, and what
// they move. The images are those that the plugin carries.
#include <gtest/gtest.h>

#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/error.hpp>
#include <string>
#include <vector>

#include "plugins/cuda/kernels/block_threads.h"
#include "plugins/cuda/kernels/conv2d_shape.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;
using cuda_double::DeviceArray;
using Values = std::vector<float>;

// Whole numbers: whatever the order of their sums, these are exact.
Values whole_numbers(std::int64_t count, std::uint32_t seed) {
  Values values(static_cast<std::size_t>(count));
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 24) / 32 - 4;
    value = static_cast<float>(static_cast<int>(value));
  }
  return values;
}

std::int64_t images_of(const sdk::ConvShape& shape) {
  return shape.batch * shape.groups * shape.group_channels * shape.image_size();
}
std::int64_t weights_of(const sdk::ConvShape& shape) {
  return shape.groups * shape.group_filters * shape.window_size();
}
std::int64_t results_of(const sdk::ConvShape& shape) {
  return shape.batch * shape.groups * shape.group_filters * shape.windows();
}

// Calls visit(image, weight, result) with the position of each of a product's three elements.
template <class Visit>
void for_each_product(const sdk::ConvShape& shape, const Visit& visit) {
  const auto& [height, width] = shape.window;
  for (std::int64_t result = 0; result < results_of(shape); ++result) {
    const std::int64_t plane = result / shape.windows();
    const std::int64_t group = plane / shape.group_filters % shape.groups;
    const std::int64_t image = plane / shape.group_filters / shape.groups;
    const std::int64_t row = height.begin(result % shape.windows() / width.output);
    const std::int64_t column = width.begin(result % width.output);
    for (std::int64_t k = 0; k < shape.window_size(); ++k) {
      const std::int64_t channel = k / shape.kernel_size();
      const std::int64_t h = row + k % shape.kernel_size() / width.kernel * height.dilation;
      const std::int64_t w = column + k % width.kernel * width.dilation;
      if (h < 0 || h >= height.input || w < 0 || w >= width.input) continue;
      const std::int64_t from = (image * shape.groups + group) * shape.group_channels + channel;
      const std::int64_t filter = group * shape.group_filters + plane % shape.group_filters;
      visit(static_cast<std::size_t>((from * height.input + h) * width.input + w),
            static_cast<std::size_t>(filter * shape.window_size() + k),
            static_cast<std::size_t>(result));
    }
  }
}

struct Convolution {
  std::int64_t x[4];
  std::int64_t filter[4];
  sdk::ConvOptions options;

  [[nodiscard]] sdk::ConvShape shape() const {
    return sdk::conv_shape({x, 4}, {filter, 4}, options);
  }
};

Convolution convolution(std::initializer_list<std::int64_t> x,
                        std::initializer_list<std::int64_t> filter, std::int64_t stride,
                        std::int64_t padding, std::int64_t dilation, std::int64_t groups) {
  Convolution result{};
  std::copy(x.begin(), x.end(), result.x);
  std::copy(filter.begin(), filter.end(), result.filter);
  result.options.window.strides = {stride, 1};
  result.options.window.paddings = {padding, 1};
  result.options.window.dilations = {1, dilation};
  result.options.groups = groups;
  return result;
}

// Of rows that fill tiles and that do not, of phases with and without taps, and of each form.
std::vector<Convolution> convolutions() {
  return {
      convolution({2, 3, 9, 8}, {6, 3, 3, 3}, 1, 1, 1, 1),
      convolution({1, 4, 9, 7}, {70, 4, 3, 2}, 1, 1, 1, 1),
      convolution({2, 66, 5, 7}, {5, 66, 3, 3}, 2, 1, 2, 1),
      convolution({1, 5, 11, 9}, {7, 5, 2, 3}, 3, 2, 1, 1),
      convolution({1, 9, 5, 20}, {8, 9, 1, 4}, 7, 3, 3, 1),
      convolution({2, 12, 6, 7}, {20, 6, 3, 3}, 2, 1, 1, 2),
      convolution({2, 6, 10, 9}, {12, 1, 3, 3}, 2, 1, 1, 6),
      convolution({1, 17, 4, 5}, {66, 17, 1, 1}, 1, 0, 1, 1),
      convolution({1, 2, 40, 30}, {3, 2, 3, 3}, 1, 1, 1, 1),
  };
}

std::string name_of(const std::string& stem, ConvForm form) {
  switch (form) {
    case ConvForm::kManyRows: return stem + "_f32";
    case ConvForm::kFewRows: return stem + "_few_f32";
    case ConvForm::kDirect: break;
  }
  return stem + "_direct_f32";
}

constexpr ConvForm kForms[] = {ConvForm::kManyRows, ConvForm::kFewRows, ConvForm::kDirect};

class Conv2dKernelsTest : public ImageTest {
 protected:
  Counters gather(ConvForm form, ConvGather what, const DeviceArray<float>& source,
                  const DeviceArray<float>& weights, const DeviceArray<float>& out) {
    const std::int64_t threads = take_form(what, form);
    return launch(name_of("conv2d", form), threads, source, weights, out, what, ConvEnding{});
  }

  Counters sum_filter(const ConvFilterPlan& plan, const DeviceArray<float>& source,
                      const DeviceArray<float>& out_grad, const DeviceArray<float>& out) {
    const auto partial =
        rig.array<float>(out.get().size() * static_cast<std::size_t>(plan.parts.parts));
    const Counters counters = launch(name_of("conv2d_filter", plan.form), plan.threads, source,
                                     out_grad, out, partial, plan.gather, plan.parts);
    if (plan.parts.parts > 1) {
      launch("conv2d_filter_parts_f32", plan.weights, partial, out, plan.weights, plan.parts.parts);
    }
    return counters;
  }
};

TEST_F(Conv2dKernelsTest, EachFormConvolves) {
  load("conv2d");
  for (const Convolution& each : convolutions()) {
    const sdk::ConvShape shape = each.shape();
    const Values x = whole_numbers(images_of(shape), 1);
    const Values filter = whole_numbers(weights_of(shape), 2);
    Values expected(static_cast<std::size_t>(results_of(shape)));
    for_each_product(shape, [&](std::size_t image, std::size_t weight, std::size_t result) {
      expected[result] += x[image] * filter[weight];
    });
    for (const ConvForm form : kForms) {
      const auto out = rig.array<float>(expected.size());
      gather(form, gather_of(shape), rig.array(x), rig.array(filter), out);
      EXPECT_EQ(out.get(), expected) << name_of("conv2d", form) << " of " << each.x[1];
    }
  }
}

TEST_F(Conv2dKernelsTest, EachFormIsTheGradientOfImages) {
  load("conv2d");
  for (const Convolution& each : convolutions()) {
    const sdk::ConvShape shape = each.shape();
    const Values out_grad = whole_numbers(results_of(shape), 1);
    const Values filter = whole_numbers(weights_of(shape), 2);
    Values expected(static_cast<std::size_t>(images_of(shape)));
    for_each_product(shape, [&](std::size_t image, std::size_t weight, std::size_t result) {
      expected[image] += out_grad[result] * filter[weight];
    });
    for (const ConvForm form : kForms) {
      const auto out = rig.array<float>(expected.size());
      gather(form, image_grad_of(shape), rig.array(out_grad), rig.array(filter), out);
      EXPECT_EQ(out.get(), expected) << name_of("conv2d", form) << " of " << each.x[1];
    }
  }
}

TEST_F(Conv2dKernelsTest, EachFormIsTheGradientOfFilters) {
  load("conv2d_filter");
  std::int64_t most_parts = 1;
  for (const Convolution& each : convolutions()) {
    const sdk::ConvShape shape = each.shape();
    const Values out_grad = whole_numbers(results_of(shape), 1);
    const Values x = whole_numbers(images_of(shape), 2);
    Values expected(static_cast<std::size_t>(weights_of(shape)));
    for_each_product(shape, [&](std::size_t image, std::size_t weight, std::size_t result) {
      expected[weight] += out_grad[result] * x[image];
    });
    for (const ConvForm form : kForms) {
      const ConvFilterPlan plan(shape, form);
      most_parts = std::max(most_parts, plan.parts.parts);
      const auto out = rig.array<float>(expected.size());
      sum_filter(plan, rig.array(x), rig.array(out_grad), out);
      EXPECT_EQ(out.get(), expected) << name_of("conv2d_filter", form) << " of " << each.x[1];
    }
  }
  EXPECT_GT(most_parts, 1);
}

}  // namespace
}  // namespace loci::cuda
