#include "framework/dispatch/op_desc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "framework/core/abi/error.h"
#include "framework/ops/op_registry.h"

namespace loci::dispatch {
namespace {

const ops::OpSchema& conv2d() { return ops::op_registry().get("conv2d"); }

ArgumentType float32(Shape shape) { return {kFloat32, shape, LOCI_RESIDENCE_DEVICE}; }

const loci_attr* find(const loci_op_desc& op, std::string_view name) {
  for (std::uint64_t i = 0; i < op.attr_count; ++i) {
    if (core::from_abi(op.attrs[i].name) == name) return &op.attrs[i];
  }
  return nullptr;
}

TEST(OpDescTest, AnAbsentOptionalSlotIsAnArgumentWithoutDtype) {
  const OpDesc desc(conv2d(), conv2d().complete({}),
                    {{float32({1, 1, 8, 8})}, {float32({4, 1, 3, 3})}, {}},
                    {{float32({1, 4, 6, 6})}});
  const loci_op_desc& op = desc.abi();
  ASSERT_EQ(op.input_slot_count, 3U);
  EXPECT_EQ(op.input_slots[2], 2U);
  EXPECT_EQ(op.input_slots[3], 3U);
  EXPECT_EQ(op.inputs[2].dtype, LOCI_DTYPE_NONE);
  EXPECT_EQ(op.inputs[1].dims[0], 4);
  EXPECT_EQ(op.outputs[0].rank, 4);
}

TEST(OpDescTest, AttributesHaveTheirKinds) {
  const OpDesc desc(conv2d(), conv2d().complete({{"groups", std::int64_t{2}}}),
                    {{float32({1, 2, 8, 8})}, {float32({4, 1, 3, 3})}, {}},
                    {{float32({1, 4, 6, 6})}});
  const loci_attr* strides = find(desc.abi(), "strides");
  ASSERT_NE(strides, nullptr);
  EXPECT_EQ(strides->kind, static_cast<std::uint32_t>(LOCI_ATTR_INTS));
  ASSERT_EQ(strides->item_count, 2U);
  EXPECT_EQ(static_cast<const std::int64_t*>(strides->items)[1], 1);
  EXPECT_EQ(find(desc.abi(), "groups")->integer, 2);
  EXPECT_EQ(core::from_abi(find(desc.abi(), "padding_algorithm")->text), "EXPLICIT");
}

TEST(OpDescTest, CostsWhatTheSchemaSays) {
  const OpDesc desc(conv2d(), conv2d().complete({{"groups", std::int64_t{2}}}),
                    {{float32({1, 2, 8, 8})}, {float32({4, 1, 3, 3})}, {}},
                    {{float32({1, 4, 6, 6})}});
  EXPECT_EQ(desc.abi().flops, 0U);
  const loci_op_desc priced = desc.with_cost();
  EXPECT_EQ(priced.flops, 2U * 4 * 6 * 6 * 9);
  EXPECT_EQ(priced.bytes, 4U * (2 * 8 * 8 + 4 * 9 + 4 * 6 * 6));
  EXPECT_EQ(priced.inputs, desc.abi().inputs);
}

TEST(OpDescTest, WritesNothingWhereAllOutputsAreEmpty) {
  const ops::OpSchema& relu = ops::op_registry().get("relu");
  EXPECT_TRUE(OpDesc(relu, {}, {{float32({0, 3})}}, {{float32({0, 3})}}).writes_nothing());
  EXPECT_FALSE(OpDesc(relu, {}, {{float32({2, 3})}}, {{float32({2, 3})}}).writes_nothing());
  EXPECT_FALSE(OpDesc(relu, {}, {{float32({})}}, {{float32({})}}).writes_nothing());
}

TEST(OpDescTest, SignatureTellsShapesApartUnlessOnlyRanksCount) {
  const ops::OpSchema& relu = ops::op_registry().get("relu");
  const OpDesc small(relu, {}, {{float32({2})}}, {{float32({2})}});
  const OpDesc large(relu, {}, {{float32({3})}}, {{float32({3})}});
  const OpDesc matrix(relu, {}, {{float32({3, 1})}}, {{float32({3, 1})}});
  EXPECT_NE(small.signature(false), large.signature(false));
  EXPECT_EQ(small.signature(true), large.signature(true));
  EXPECT_NE(large.signature(true), matrix.signature(true));
}

TEST(OpDescTest, SignatureTellsAttributesApartToTheBit) {
  const ops::OpSchema& schema = ops::op_registry().get("scale");
  const auto signature = [&](double factor, double bias) {
    return OpDesc(schema, schema.complete({{"scale", factor}, {"bias", bias}}), {{float32({2})}},
                  {{float32({2})}})
        .signature(false);
  };
  EXPECT_EQ(signature(2, 0), signature(2, 0));
  EXPECT_NE(signature(2, 0), signature(0, 2));
  EXPECT_NE(signature(2, 0.0), signature(2, -0.0));
  EXPECT_NE(signature(1, 0), signature(std::nextafter(1.0, 2.0), 0));
}

// Elements of a list are not taken for what stands behind it.
TEST(OpDescTest, SignatureTellsListsApart) {
  const ops::OpSchema& schema = ops::op_registry().get("slice");
  using Integers = std::vector<std::int64_t>;
  const auto signature = [&](const Integers& axes, const Integers& ends) {
    const Attributes given = {{"axes", axes}, {"starts", axes}, {"ends", ends}, {"steps", ends}};
    return OpDesc(schema, schema.complete(given), {{float32({2, 2})}, {}, {}}, {{float32({2, 2})}})
        .signature(false);
  };
  EXPECT_EQ(signature({0, 1}, {2, 2}), signature({0, 1}, {2, 2}));
  EXPECT_NE(signature({0, 1}, {2, 2}), signature({0, 1, 2}, {2}));
  EXPECT_NE(signature({}, {0}), signature({0}, {}));
}

}  // namespace
}  // namespace loci::dispatch
