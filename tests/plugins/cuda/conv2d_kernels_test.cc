// The kernels of convolutions in the interpreter itself: each form of them for any shape, and what
// they move. The images are those that the plugin carries.
#include <gtest/gtest.h>

#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/error.hpp>
#include <string>
#include <vector>

#include "plugins/cuda/kernels/conv2d/conv2d_shape.h"
#include "plugins/cuda/kernels/launch/block_threads.h"
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
  result.options.window.dilations = {dilation, dilation};
  result.options.groups = groups;
  return result;
}

// The rows fill tiles or do not, the phases have taps or none, and each form occurs.
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
      convolution({3, 2, 71, 41}, {3, 2, 3, 3}, 1, 1, 1, 1),
      convolution({1, 3, 37, 70}, {6, 1, 5, 3}, 1, 2, 2, 3),
      convolution({3, 9, 3, 3}, {9, 1, 3, 3}, 1, 1, 1, 9),
  };
}

struct Form {
  ConvForm form;
  std::int64_t turns = 0;  // of the threads of patches
  bool is_mma = false;     // by tensor cores
};
constexpr Form kForms[] = {{ConvForm::kManyRows},          {ConvForm::kFewRows},
                           {ConvForm::kManyRows, 0, true}, {ConvForm::kFewRows, 0, true},
                           {ConvForm::kPatch, 1},          {ConvForm::kPatch, 2},
                           {ConvForm::kPatch, 4},          {ConvForm::kDirect}};

std::string name_of(const std::string& stem, ConvForm form) {
  switch (form) {
    case ConvForm::kManyRows: return stem + "_f32";
    case ConvForm::kFewRows: return stem + "_few_f32";
    case ConvForm::kPatch: return stem + "_patch_f32";
    case ConvForm::kDirect: break;
  }
  return stem + "_direct_f32";
}

std::string gathering_name(const Form& form) {
  return name_of(form.is_mma ? "conv2d_mma" : "conv2d", form.form);
}

// Returns true if the convolution can be computed in that form.
bool has_form(ConvGather gather, const Form& form) {
  if (form.form != ConvForm::kPatch) return true;
  take_patches(gather, form.turns);
  return has_patches(gather) && gather.patch.planes > 0;
}

class Conv2dKernelsTest : public ImageTest {
 protected:
  void load_form(const Form& form) {
    const char* const tiles = form.is_mma ? "conv2d_mma" : "conv2d";
    load(form.form == ConvForm::kPatch ? "conv2d_patch" : tiles);
  }

  Counters gather(const Form& wanted, ConvGather what, const DeviceArray<float>& source,
                  const DeviceArray<float>& weights, const DeviceArray<float>& out) {
    const auto& [form, turns, is_mma] = wanted;
    const std::int64_t threads = turns == 0 ? take_form(what, form) : take_patches(what, turns);
    const bool is_one = form == ConvForm::kPatch && what.rows.count == 1;
    return launch(is_one ? "conv2d_patch_one_f32" : gathering_name(wanted), threads, source,
                  weights, out, what, ConvEpilogue{});
  }

  Counters sum_filter(const ConvFilterPlan& plan, const DeviceArray<float>& source,
                      const DeviceArray<float>& out_grad, const DeviceArray<float>& out,
                      const std::string& stem = "conv2d_filter") {
    load(stem);
    const auto partial =
        rig.array<float>(out.get().size() * static_cast<std::size_t>(plan.parts.parts));
    const Counters counters = launch(name_of(stem, plan.form), plan.threads, source, out_grad, out,
                                     partial, plan.gather, plan.parts);
    if (plan.parts.parts > 1) {
      load("conv2d_filter");
      launch("conv2d_filter_parts_f32", plan.weights, partial, out, plan.weights, plan.parts.parts);
    }
    return counters;
  }
};

TEST_F(Conv2dKernelsTest, EachFormConvolves) {
  for (const Form& form : kForms) {
    load_form(form);
    int checked = 0;
    for (const Convolution& each : convolutions()) {
      const sdk::ConvShape shape = each.shape();
      if (!has_form(gather_of(shape), form)) continue;
      const Values x = whole_numbers(images_of(shape), 1);
      const Values filter = whole_numbers(weights_of(shape), 2);
      Values expected(static_cast<std::size_t>(results_of(shape)));
      for_each_product(shape, [&](std::size_t image, std::size_t weight, std::size_t result) {
        expected[result] += x[image] * filter[weight];
      });
      const auto out = rig.array<float>(expected.size());
      gather(form, gather_of(shape), rig.array(x), rig.array(filter), out);
      EXPECT_EQ(out.get(), expected)
          << gathering_name(form) << " of " << each.x[1] << ", turns " << form.turns;
      ++checked;
    }
    EXPECT_GE(checked, 4) << gathering_name(form);
  }
}

TEST_F(Conv2dKernelsTest, EachFormIsTheGradientOfImages) {
  for (const Form& form : kForms) {
    load_form(form);
    int checked = 0;
    for (const Convolution& each : convolutions()) {
      const sdk::ConvShape shape = each.shape();
      if (!has_form(image_grad_of(shape), form)) continue;
      const Values out_grad = whole_numbers(results_of(shape), 1);
      const Values filter = whole_numbers(weights_of(shape), 2);
      Values expected(static_cast<std::size_t>(images_of(shape)));
      for_each_product(shape, [&](std::size_t image, std::size_t weight, std::size_t result) {
        expected[image] += out_grad[result] * filter[weight];
      });
      const auto out = rig.array<float>(expected.size());
      gather(form, image_grad_of(shape), rig.array(out_grad), rig.array(filter), out);
      EXPECT_EQ(out.get(), expected)
          << gathering_name(form) << " of " << each.x[1] << ", turns " << form.turns;
      ++checked;
    }
    EXPECT_GE(checked, 4) << gathering_name(form);
  }
}

TEST_F(Conv2dKernelsTest, EachFormIsTheGradientOfFilters) {
  const std::pair<const char*, ConvForm> forms[] = {{"conv2d_filter", ConvForm::kManyRows},
                                                    {"conv2d_filter", ConvForm::kFewRows},
                                                    {"conv2d_filter_mma", ConvForm::kManyRows},
                                                    {"conv2d_filter_mma", ConvForm::kFewRows},
                                                    {"conv2d_filter", ConvForm::kDirect}};
  for (const auto& [stem, form] : forms) {
    std::int64_t most_parts = 1;
    for (const Convolution& each : convolutions()) {
      const sdk::ConvShape shape = each.shape();
      const Values out_grad = whole_numbers(results_of(shape), 1);
      const Values x = whole_numbers(images_of(shape), 2);
      Values expected(static_cast<std::size_t>(weights_of(shape)));
      for_each_product(shape, [&](std::size_t image, std::size_t weight, std::size_t result) {
        expected[weight] += out_grad[result] * x[image];
      });
      const ConvFilterPlan plan(shape, form);
      most_parts = std::max(most_parts, plan.parts.parts);
      const auto out = rig.array<float>(expected.size());
      sum_filter(plan, rig.array(x), rig.array(out_grad), out, stem);
      EXPECT_EQ(out.get(), expected) << name_of(stem, form) << " of " << each.x[1];
    }
    EXPECT_GT(most_parts, 1) << name_of(stem, form);
  }
}

// Bytes of as many elements, and how many are moved at most for each that has to be.
struct Budget {
  std::int64_t elements;
  double most;
};

void expect_within(const Budget& budget, const Counters& counters) {
  const auto moved =
      static_cast<double>(counters.global_bytes_read + counters.global_bytes_written);
  EXPECT_LE(moved, budget.most * sizeof(float) * static_cast<double>(budget.elements));
  EXPECT_LE(counters.shared_conflicts, counters.shared_requests);
}

// Sectors of 32 bytes, for each that the bytes would fill.
double sectors_per_ideal(const Counters& counters) {
  return static_cast<double>(counters.global_sectors) * 32 /
         static_cast<double>(counters.global_bytes_read + counters.global_bytes_written);
}

// Each term once for all rows and all columns of a tile.
TEST_F(Conv2dKernelsTest, TilesReadTermsOnce) {
  const sdk::ConvShape shape = convolution({2, 16, 16, 16}, {64, 16, 3, 3}, 1, 1, 1, 1).shape();
  const auto x = rig.zeros<float>(static_cast<std::size_t>(images_of(shape)));
  const auto filter = rig.zeros<float>(static_cast<std::size_t>(weights_of(shape)));
  const auto out = rig.zeros<float>(static_cast<std::size_t>(results_of(shape)));
  const std::int64_t column_tiles = results_of(shape) / 64 / kConvColumns;
  for (const Form& form : kForms) {
    if (form.form != ConvForm::kManyRows && form.form != ConvForm::kFewRows) continue;
    SCOPED_TRACE(gathering_name(form));
    const std::int64_t rows = form.form == ConvForm::kManyRows ? kConvManyRows : kConvFewRows;
    load_form(form);
    const Counters counters = gather(form, gather_of(shape), x, filter, out);
    const std::int64_t terms =
        column_tiles * (64 / rows) * shape.window_size() * (rows + kConvColumns);
    expect_within({terms + results_of(shape), 1}, counters);
    EXPECT_LE(sectors_per_ideal(counters), 1.1);
  }
  const ConvFilterPlan plan(shape, ConvForm::kManyRows);
  const std::int64_t taken = plan.gather.column_tiles.count * (kConvManyRows + kConvColumns);
  for (const char* stem : {"conv2d_filter", "conv2d_filter_mma"}) {
    SCOPED_TRACE(stem);
    expect_within({taken * plan.parts.windows + weights_of(shape), 1},
                  sum_filter(plan, x, out, filter, stem));
  }
}

// Each element once, and those at the edges of patches again.
TEST_F(Conv2dKernelsTest, PatchesReadImagesOnce) {
  for (const std::int64_t side : {7, 16, 64}) {
    const sdk::ConvShape shape =
        convolution({1, 16, side, side}, {16, 1, 3, 3}, 1, 1, 1, 16).shape();
    const auto x = rig.zeros<float>(static_cast<std::size_t>(images_of(shape)));
    const auto filter = rig.zeros<float>(static_cast<std::size_t>(weights_of(shape)));
    const auto out = rig.array<float>(static_cast<std::size_t>(results_of(shape)));
    load("conv2d_patch");
    const Budget each_once{images_of(shape) + weights_of(shape) + results_of(shape), 1.3};
    for (const bool is_grad : {false, true}) {
      const Counters counters =
          gather({ConvForm::kPatch}, is_grad ? image_grad_of(shape) : gather_of(shape),
                 is_grad ? out : x, filter, is_grad ? x : out);
      expect_within(each_once, counters);
      // Rows of seven results are stored apart, few of them from a sector's begin on.
      EXPECT_LE(sectors_per_ideal(counters), side == 7 ? 1.3 : 1.1) << side;
    }
    // A gradient once for all taps.
    const std::int64_t taken = results_of(shape) * (1 + shape.kernel_size());
    expect_within({taken + weights_of(shape), 1},
                  sum_filter({shape, ConvForm::kDirect}, x, out, filter));
  }
}

TEST(ConvFormTest, SuitsTheShape) {
  const auto form_at = [](const Convolution& each, std::uint32_t multiprocessors) {
    return form_of(gather_of(each.shape()), multiprocessors);
  };
  const Convolution wide = convolution({8, 16, 32, 32}, {64, 16, 3, 3}, 1, 1, 1, 1);
  EXPECT_EQ(form_at(wide, 100), ConvForm::kManyRows);
  EXPECT_EQ(form_at(wide, 200), ConvForm::kFewRows);
  EXPECT_EQ(form_at(convolution({8, 16, 64, 64}, {32, 16, 3, 3}, 1, 1, 1, 1), 1),
            ConvForm::kFewRows);
  EXPECT_EQ(form_at(convolution({1, 4, 8, 8}, {8, 1, 3, 3}, 1, 1, 1, 4), 1), ConvForm::kPatch);
  // Windows that leave most elements out, and such as no block could hold.
  EXPECT_EQ(form_at(convolution({1, 1, 40, 8}, {1, 1, 1, 3}, 7, 0, 1, 1), 1), ConvForm::kDirect);
  EXPECT_EQ(form_at(convolution({1, 1, 3000, 8}, {1, 1, 2100, 3}, 1, 0, 1, 1), 1),
            ConvForm::kDirect);
}

std::string refusal_of(const Convolution& each) {
  try {
    require_counted(each.shape());
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_UNSUPPORTED);
    return error.what();
  }
  return "none";
}

TEST(ConvFormTest, RefusesWhatNoDeviceHolds) {
  constexpr std::int64_t kMany = 1 << 24;
  EXPECT_EQ(refusal_of(convolution({1, 1, kMany, kMany / 2}, {1, 1, 1, 1}, 1, 0, 1, 1)), "none");
  const std::string too_many = "an image, a filter or a result has 2^48 elements";
  for (const std::int64_t images : {0, 1}) {
    EXPECT_EQ(refusal_of(convolution({images, 1, kMany, kMany}, {1, 1, 1, 1}, kMany, 0, 1, 1)),
              too_many);
  }
  EXPECT_EQ(refusal_of(convolution({1, kMany, 1, 1}, {kMany, kMany, 1, 1}, 1, 0, 1, 1)), too_many);
  EXPECT_EQ(refusal_of(convolution({1, 1, kMany, 2}, {kMany, 1, 1, 1}, 1, 0, 1, 1)), too_many);
}

}  // namespace
}  // namespace loci::cuda
