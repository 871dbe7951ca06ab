#include "plugins/sim/launch_cost.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace loci::sim {
namespace {

using Dims = std::vector<std::int64_t>;

struct Described {
  Described(std::string op, std::vector<Dims> inputs, Dims output,
            std::vector<loci_attr> given = {})
      : name(std::move(op)), dims(std::move(inputs)), attributes(std::move(given)) {
    dims.push_back(std::move(output));
    for (const Dims& extents : dims) {
      loci_arg arg{};
      arg.dims = extents.data();
      arg.rank = static_cast<std::int32_t>(extents.size());
      arg.dtype = LOCI_DTYPE_F32;
      args.push_back(arg);
    }
    for (std::uint32_t i = 0; i < dims.size(); ++i) slots.push_back(i);
    desc.op = {name.data(), name.size()};
    desc.attrs = attributes.data();
    desc.attr_count = attributes.size();
    desc.inputs = args.data();
    desc.outputs = &args.back();
    desc.input_slots = slots.data();
    desc.output_slots = slots.data();
    desc.input_slot_count = static_cast<std::uint32_t>(dims.size() - 1);
    desc.output_slot_count = 1;
  }

  std::string name;
  std::vector<Dims> dims;
  std::vector<loci_attr> attributes;
  std::vector<loci_arg> args;
  std::vector<std::uint32_t> slots;
  loci_op_desc desc{};
};

loci_attr attribute(const char* name, std::uint32_t kind, std::int64_t value) {
  loci_attr attr{};
  attr.name = sdk::to_abi(name);
  attr.kind = kind;
  attr.integer = value;
  return attr;
}

double flops(const Described& described) { return flops_of(described.desc); }

TEST(LaunchCostTest, MatrixProducts) {
  const auto plain = attribute("transpose_x", LOCI_ATTR_BOOL, 0);
  const auto transposed = attribute("transpose_x", LOCI_ATTR_BOOL, 1);
  const auto y_plain = attribute("transpose_y", LOCI_ATTR_BOOL, 0);
  EXPECT_EQ(flops({"matmul", {{2, 3}, {3, 5}}, {2, 5}, {plain, y_plain}}), 2 * 2 * 3 * 5);
  EXPECT_EQ(flops({"matmul", {{3, 2}, {3, 5}}, {2, 5}, {transposed, y_plain}}), 2 * 2 * 3 * 5);
  EXPECT_EQ(flops({"matmul", {{7, 2, 3}, {7, 3, 5}}, {7, 2, 5}, {plain, y_plain}}),
            7 * 2 * 2 * 3 * 5);
  EXPECT_EQ(flops({"matmul", {{3}, {3}}, {}, {plain, y_plain}}), 6);
  const auto columns = attribute("x_num_col_dims", LOCI_ATTR_INT, 1);
  const auto y_columns = attribute("y_num_col_dims", LOCI_ATTR_INT, 1);
  EXPECT_EQ(flops({"mul", {{2, 3, 4}, {12, 5}}, {2, 5}, {columns, y_columns}}), 2 * 2 * 12 * 5);
}

TEST(LaunchCostTest, ConvolutionsAndTheirGradientsCostTheSame) {
  const Dims image = {2, 3, 8, 8};
  const Dims filter = {4, 3, 3, 3};
  const Dims result = {2, 4, 6, 6};
  const double expected = 2.0 * (2 * 4 * 6 * 6) * (3 * 3 * 3);
  EXPECT_EQ(flops({"conv2d", {image, filter}, result}), expected);
  EXPECT_EQ(flops({"conv2d_grad_input", {filter, result, image}, image}), expected);
  EXPECT_EQ(flops({"conv2d_grad_filter", {image, result, filter}, filter}), expected);
}

TEST(LaunchCostTest, AnythingElseIsItsLargestArgument) {
  EXPECT_EQ(flops({"reduce_sum", {{10, 10}}, {}}), 100);
  EXPECT_EQ(flops({"expand", {{1}}, {5, 5}}), 25);
}

TEST(LaunchCostTest, UnknownExtentsCostNothing) {
  Described described("relu", {{10}}, {10});
  for (loci_arg& arg : described.args) arg.dims = nullptr;
  EXPECT_EQ(flops(described), 0);
}

}  // namespace
}  // namespace loci::sim
