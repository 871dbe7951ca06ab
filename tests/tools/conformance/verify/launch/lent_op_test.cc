#include "tools/conformance/verify/launch/lent_op.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

namespace loci::verify {
namespace {

std::string_view view(loci_str text) { return {text.data, text.size}; }
loci_str text(std::string_view value) { return {value.data(), value.size()}; }

// pad(x: float32[2, 3]) -> float32[4], with a list and a list of texts.
struct Described {
  std::int64_t dims[2] = {2, 3};
  std::int64_t out_dims[1] = {4};
  std::int64_t pads[3] = {1, 0, 2};
  loci_str names[2] = {text("left"), text("right")};
  loci_arg inputs[1] = {{dims, LOCI_DTYPE_F32, 2, 0, 0, 0, 0}};
  loci_arg outputs[1] = {{out_dims, LOCI_DTYPE_F32, 1, 0, 0, 0, 0}};
  std::uint32_t slots[2] = {0, 1};
  loci_attr attrs[2] = {
      {text("pads"), LOCI_ATTR_INTS, 0, 0, 0, {}, pads, 3},
      {text("names"), LOCI_ATTR_STRINGS, 0, 0, 0, {}, names, 2},
  };
  loci_op_desc op{.struct_size = sizeof(loci_op_desc),
                  .version = 1,
                  .op = text("pad"),
                  .attrs = attrs,
                  .attr_count = 2,
                  .inputs = inputs,
                  .outputs = outputs,
                  .input_slots = slots,
                  .output_slots = slots,
                  .input_slot_count = 1,
                  .output_slot_count = 1};
};

TEST(LentOp, HasWhatTheDescriptionHas) {
  const Described described;
  const LentOp lent(described.op);
  const loci_op_desc& op = *lent.get();
  EXPECT_EQ(view(op.op), "pad");
  EXPECT_EQ(op.inputs[0].dims[1], 3);
  EXPECT_EQ(op.outputs[0].dims[0], 4);
  EXPECT_EQ(op.input_slots[1], 1U);
  EXPECT_EQ(view(op.attrs[0].name), "pads");
  EXPECT_EQ(static_cast<const std::int64_t*>(op.attrs[0].items)[2], 2);
  EXPECT_EQ(view(static_cast<const loci_str*>(op.attrs[1].items)[1]), "right");
  for (const void* part : {static_cast<const void*>(op.op.data), op.attrs[0].items,
                           static_cast<const void*>(op.inputs[0].dims)}) {
    EXPECT_TRUE(is_lent(part));
  }
  EXPECT_FALSE(is_lent(&described));
}

TEST(LentOpDeathTest, CannotBeReadAfterwards) {
  const Described described;
  const std::int64_t* kept = nullptr;
  {
    const LentOp lent(described.op);
    kept = lent.get()->inputs[0].dims;
  }
  EXPECT_TRUE(is_lent(kept));
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile const std::int64_t*>(kept)), "");
}

TEST(LentOp, AddressesAreUsedAgainOnlyAfterAll) {
  const Described described;
  const loci_op_desc* first = nullptr;
  for (int i = 0; i < 20000; ++i) {
    const LentOp lent(described.op);
    ASSERT_NE(lent.get(), first);
    if (i == 0) first = lent.get();
  }
}

}  // namespace
}  // namespace loci::verify
