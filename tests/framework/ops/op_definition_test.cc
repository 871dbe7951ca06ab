#include "framework/ops/op_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>

#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/op_tables.h"

namespace loci::ops {
namespace {

using plugin::LoadError;
using test::load_error_of;
using test_support::NamedPlugin;
using test_support::OpTable;
using test_support::output_slot;
using test_support::real_attr;
using test_support::slot;
using test_support::text;
using ::testing::HasSubstr;

OpSchema take(const loci_op_def& def) {
  static NamedPlugin plugin;
  return take_op_definition(plugin, def);
}

void expect_refused(OpTable& table, const std::string& reason) {
  const LoadError error = load_error_of([&] { (void)take(table.complete()); });
  EXPECT_THAT(error.cause(), HasSubstr(reason));
  EXPECT_EQ(error.code(), ErrorCode::kIncompatible);
}

void expect_refused(const std::function<void(OpTable&)>& damage, const std::string& reason) {
  OpTable table;
  damage(table);
  expect_refused(table, reason);
}

TEST(OpDefinitionTest, TakesEverythingOver) {
  OpTable table("example.two_parts.swish2");
  table.inputs.push_back(slot("rest", LOCI_ARITY_VARIADIC));
  table.inputs.push_back(slot("size", LOCI_ARITY_OPTIONAL));
  table.inputs.back().residence = LOCI_RESIDENCE_HOST;
  table.outputs.push_back(output_slot("x_out"));
  table.outputs.back().updates = text("x");
  table.def.version = 3;
  table.def.not_capturable = text("it waits");
  const OpSchema op = take(table.complete());
  EXPECT_EQ(op.name(), "example.two_parts.swish2");
  EXPECT_EQ(op.version(), 3);
  EXPECT_EQ(op.plugin(), "org.loci.test.named");
  ASSERT_EQ(op.inputs().size(), 3u);
  EXPECT_EQ(op.inputs()[0].dtypes.to_string(), "float32");
  EXPECT_EQ(op.inputs()[1].arity, Arity::kVariadic);
  EXPECT_EQ(op.inputs()[2].residence, Residence::kHost);
  EXPECT_EQ(op.outputs()[1].updates, "x");
  EXPECT_EQ(op.outputs()[1].dtype.to_string(), "as x");
  EXPECT_EQ(op.outputs()[0].dtype.to_string(), "");
  ASSERT_EQ(op.attributes().size(), 1u);
  EXPECT_EQ(op.attributes()[0].name, "alpha");
  EXPECT_EQ(op.attributes()[0].default_value, Attribute(1.0));
  EXPECT_EQ(op.capture_refusal(), "it waits");
  EXPECT_TRUE(op.infer_fn());
  EXPECT_TRUE(op.gradient_fn());
  EXPECT_FALSE(op.upgrade_fn());
  EXPECT_FALSE(op.decompose_fn());
  EXPECT_FALSE(op.is_random());
}

// The words are those of Loci's own ops.
TEST(OpDefinitionTest, SlotsSayResidenceArityAndWhatIsBounded) {
  OpTable table;
  table.inputs.push_back(slot("like"));
  table.inputs.back().residence = LOCI_RESIDENCE_METADATA;
  table.inputs.push_back(slot("size", LOCI_ARITY_OPTIONAL,
                              LOCI_DTYPE_BIT(LOCI_DTYPE_I32) | LOCI_DTYPE_BIT(LOCI_DTYPE_I64)));
  table.inputs.back().residence = LOCI_RESIDENCE_HOST;
  table.inputs.back().flags = LOCI_SLOT_GIVES_EXTENTS;
  table.outputs = {output_slot("out"), output_slot("count"), output_slot("parts"),
                   output_slot("told")};
  table.outputs[0].count = text("count");
  table.outputs[2].arity = LOCI_ARITY_VARIADIC;
  table.outputs[3].residence = LOCI_RESIDENCE_HOST;
  const OpSchema op = take(table.complete());
  EXPECT_EQ(op.inputs()[1].residence, Residence::kMetadata);
  EXPECT_FALSE(op.inputs()[1].gives_extents);
  EXPECT_TRUE(op.inputs()[2].gives_extents);
  EXPECT_EQ(op.outputs()[0].extent, Extent::kBounded);
  EXPECT_EQ(op.outputs()[0].count, "count");
  EXPECT_EQ(op.outputs()[1].extent, Extent::kInferred);
  EXPECT_EQ(op.outputs()[2].arity, Arity::kVariadic);
  EXPECT_EQ(op.outputs()[3].residence, Residence::kHost);
}

OpTable random_table() {
  OpTable table;
  table.inputs.push_back(slot("state", LOCI_ARITY_REQUIRED, LOCI_DTYPE_BIT(LOCI_DTYPE_U64)));
  loci_attr_def offset{};
  offset.struct_size = sizeof offset;
  offset.name = text("offset");
  offset.kind = offset.default_value.kind = LOCI_ATTR_INT;
  table.attrs.push_back(offset);
  table.def.flags = LOCI_OP_RANDOM;
  return table;
}

TEST(OpDefinitionTest, ARandomOpHasStateAndOffset) {
  OpTable table = random_table();
  EXPECT_TRUE(take(table.complete()).is_random());
  const std::string state = "give it the required input 'state', uint64 on the device";
  table.inputs[1].dtype_mask |= LOCI_DTYPE_BIT(LOCI_DTYPE_I64);
  expect_refused(table, state);
  table = random_table();
  table.inputs[1].arity = LOCI_ARITY_OPTIONAL;
  expect_refused(table, state);
  table = random_table();
  table.inputs[1].residence = LOCI_RESIDENCE_HOST;
  expect_refused(table, state);
  table.inputs.pop_back();
  expect_refused(table, state);
  table = random_table();
  table.attrs[1].flags = LOCI_ATTR_DEF_REQUIRED;
  expect_refused(table, "give it the attribute 'offset', an integer with a default");
  table = random_table();
  table.attrs[1].kind = table.attrs[1].default_value.kind = LOCI_ATTR_BOOL;
  expect_refused(table, "give it the attribute 'offset', an integer with a default");
  table = random_table();
  table.outputs.push_back(output_slot("state_out"));
  table.outputs[1].updates = text("state");
  expect_refused(table, "it updates the random state, which a run advances by itself");
}

TEST(OpDefinitionTest, RefusesCountsThatAreNone) {
  const auto counted = [](OpTable& t) {
    t.outputs = {output_slot("out"), output_slot("count")};
    t.outputs[0].count = text("count");
  };
  const std::string both = "its output 'out' has the count 'count'; both have to be new values";
  expect_refused([](OpTable& t) { t.outputs[0].count = text("n"); },
                 "its output 'out' has the count 'n', which is no output");
  expect_refused([](OpTable& t) { t.inputs[0].count = text("out"); }, "its input 'x' has a count");
  expect_refused(
      [&](OpTable& t) {
        counted(t);
        t.outputs[1].residence = LOCI_RESIDENCE_HOST;
      },
      both);
  expect_refused(
      [&](OpTable& t) {
        counted(t);
        t.outputs[0].updates = text("x");
      },
      both);
  expect_refused(
      [&](OpTable& t) {
        counted(t);
        t.outputs.push_back(output_slot("more"));
        t.outputs[2].count = text("count");
      },
      "2 of its outputs have a count; one may");
}

TEST(OpDefinitionTest, RefusesFlagsThatItCannotHave) {
  expect_refused([](OpTable& t) { t.inputs[0].flags = LOCI_SLOT_GIVES_EXTENTS; },
                 "its input 'x' gives extents; make it optional, on the host, int32 and int64");
  expect_refused([](OpTable& t) { t.inputs[0].flags = 2; },
                 "its input 'x' has the unknown flags 0x2");
  expect_refused([](OpTable& t) { t.outputs[0].flags = LOCI_SLOT_GIVES_EXTENTS; },
                 "its output 'out' has the unknown flags 0x1");
  expect_refused([](OpTable& t) { t.def.flags = 6; }, "it has the unknown flags 0x6");
}

TEST(OpDefinitionTest, OnlyWhatComputesIsDecomposed) {
  OpTable table;
  table.def.decompose = test_support::call_decompose;
  EXPECT_TRUE(take(table.complete()).decompose_fn());
  const std::string reason = "it has a decomposition, and it updates, has a count";
  table.outputs[0].updates = text("x");
  expect_refused(table, reason);
  table = random_table();
  table.def.decompose = test_support::call_decompose;
  expect_refused(table, reason);
}

// A plugin that was built before the last members came has such a struct.
TEST(OpDefinitionTest, AShorterStructHasZeroesForWhatItLacks) {
  OpTable table;
  table.def.struct_size = offsetof(loci_op_def, gradient);
  EXPECT_FALSE(take(table.complete()).gradient_fn());
}

TEST(OpDefinitionTest, RefusesNamesWithoutANamespace) {
  for (const char* name :
       {"", "swish", ".swish", "example.", "example..swish", "Example.swish", "example.Swish",
        "example.sw-ish", "example.2d", "ex ample.swish", "example.swish\n"}) {
    OpTable table(name);
    expect_refused(table, "that is no name for an op of a plugin; it has a namespace and a dot");
  }
  std::string name = "example.";
  name.append(121, 's');
  OpTable long_name(name);
  expect_refused(long_name, "in at most 128");
  OpTable own("loci.swish");
  expect_refused(own, "its op 'loci.swish': the namespace 'loci' is the host's own");
  OpTable null;
  null.def.name = {nullptr, 9};
  expect_refused(null, "its op ''");
}

TEST(OpDefinitionTest, RefusesAnIncompleteHead) {
  expect_refused([](OpTable& t) { t.def.infer = nullptr; }, "its op 'test.op': it has no infer");
  expect_refused([](OpTable& t) { t.def.version = 0; }, "its version is 0; the first one is 1");
  expect_refused([](OpTable& t) { t.def.version = UINT32_MAX; }, "its version is 4294967295");
  expect_refused([](OpTable& t) { t.outputs.clear(); }, "it has no output");
}

TEST(OpDefinitionTest, RefusesBadNamesOfSlotsAndAttributes) {
  expect_refused([](OpTable& t) { t.inputs.push_back(slot("x")); }, "it has two inputs named 'x'");
  expect_refused([](OpTable& t) { t.outputs.push_back(output_slot("out")); },
                 "it has two outputs named 'out'");
  expect_refused([](OpTable& t) { t.attrs.push_back(real_attr("alpha", 0)); },
                 "it has two attributes named 'alpha'");
  expect_refused([](OpTable& t) { t.inputs[0].name = {}; }, "its input 0 is named ''");
  expect_refused([](OpTable& t) { t.outputs[0].name = text("Out"); },
                 "its output 0 is named 'Out'");
  expect_refused([](OpTable& t) { t.attrs[0].name = text("a.b"); },
                 "its attribute 0 is named 'a.b'");
}

TEST(OpDefinitionTest, RefusesBadSlots) {
  expect_refused([](OpTable& t) { t.inputs[0].arity = 3; }, "its input 'x' has the arity 3");
  expect_refused([](OpTable& t) { t.inputs[0].residence = 3; },
                 "its input 'x' has the residence 3");
  expect_refused([](OpTable& t) { t.inputs[0].dtype_mask = 0; },
                 "its input 'x' takes the dtypes 0x0");
  expect_refused([](OpTable& t) { t.inputs[0].dtype_mask = 1; },
                 "its input 'x' takes the dtypes 0x1");
  expect_refused([](OpTable& t) { t.inputs[0].dtype_mask |= LOCI_DTYPE_BIT(LOCI_DTYPE_C64); },
                 "its input 'x' takes the dtypes");
  expect_refused([](OpTable& t) { t.inputs[0].updates = text("x"); }, "its input 'x' updates");
  expect_refused([](OpTable& t) { t.outputs[0].dtype_mask = 2; },
                 "its output 'out' has a dtype mask");
  expect_refused([](OpTable& t) { t.outputs[0].residence = LOCI_RESIDENCE_METADATA; },
                 "its output 'out' is metadata");
  expect_refused(
      [](OpTable& t) {
        t.outputs[0].residence = LOCI_RESIDENCE_HOST;
        t.outputs[0].arity = LOCI_ARITY_OPTIONAL;
      },
      "its output 'out' is on the host and is not required");
}

TEST(OpDefinitionTest, RefusesUpdatesOfWhatIsNoState) {
  expect_refused([](OpTable& t) { t.outputs[0].updates = text("y"); },
                 "its output 'out' updates 'y', which is no input");
  expect_refused(
      [](OpTable& t) {
        t.inputs[0].arity = LOCI_ARITY_OPTIONAL;
        t.outputs[0].updates = text("x");
      },
      "its output 'out' updates 'x'; both have to be required");
  expect_refused(
      [](OpTable& t) {
        t.inputs[0].residence = LOCI_RESIDENCE_HOST;
        t.outputs[0].updates = text("x");
      },
      "both have to be required and on the device");
  expect_refused(
      [](OpTable& t) {
        t.outputs[0].arity = LOCI_ARITY_VARIADIC;
        t.outputs[0].updates = text("x");
      },
      "its output 'out' updates an input and is not required");
  expect_refused(
      [](OpTable& t) {
        t.outputs.push_back(output_slot("again"));
        t.outputs[0].updates = t.outputs[1].updates = text("x");
      },
      "2 of its outputs update 'x'");
}

TEST(OpDefinitionTest, RefusesBadAttributes) {
  expect_refused([](OpTable& t) { t.attrs[0].default_value.kind = LOCI_ATTR_INT; },
                 "its attribute 'alpha' is of the kind 2 and its default of the kind 1");
  expect_refused([](OpTable& t) { t.attrs[0].kind = 8; }, "its attribute 'alpha'");
}

TEST(OpDefinitionTest, RefusesListsThatAreNone) {
  OpTable null;
  (void)null.complete();
  null.def.inputs = nullptr;
  EXPECT_THAT(load_error_of([&] { (void)take(null.def); }).cause(),
              HasSubstr("its op 'test.op' has a list of inputs that has 1 entries at NULL"));
  OpTable many;
  (void)many.complete();
  many.def.attr_count = UINT64_MAX;
  EXPECT_THAT(
      load_error_of([&] { (void)take(many.def); }).cause(),
      HasSubstr("a list of attributes that has 18446744073709551615 entries; at most 4096"));
  expect_refused([](OpTable& t) { t.inputs[0].struct_size = 4; },
                 "has an entry 0 that states a size of 4 bytes");
  expect_refused(
      [](OpTable& t) {
        t.outputs.push_back(output_slot("more"));
        t.outputs[1].struct_size += 8;
      },
      "a list of outputs that has an entry 1 that states a size");
}

}  // namespace
}  // namespace loci::ops
