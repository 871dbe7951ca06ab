#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <string>

#include "framework/core/abi/error.h"
#include "tests/support/registered_op.h"

namespace loci::ops {
namespace {

using test_support::failing;
using test_support::op_functions;
using test_support::OpTable;
using test_support::register_op;
using test_support::text;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

loci_attr real_value(const char* name, double value) {
  loci_attr attr{};
  attr.name = text(name);
  attr.kind = LOCI_ATTR_FLOAT;
  attr.real = value;
  return attr;
}

class PluginUpgradeTest : public ::testing::Test {
 protected:
  PluginUpgradeTest() {
    OpTable table("test.upgraded");
    table.def.version = 3;
    table.def.upgrade = test_support::call_upgrade;
    register_op(std::move(table));
  }
  ~PluginUpgradeTest() override { op_functions = {}; }

  static Attributes upgraded(int from, Attributes attributes) {
    op_registry().get("test.upgraded").upgrade_fn()(from, attributes);
    return attributes;
  }
};

TEST_F(PluginUpgradeTest, AddsChangesAndTakesAway) {
  op_functions.upgrade = [](const loci_upgrade& op) -> loci_error* {
    EXPECT_EQ(op.from_version, 2U);
    EXPECT_EQ(op.attr_count, 2U);
    EXPECT_EQ(core::from_abi(op.attrs[1].name), "old");
    const loci_attr alpha = real_value("alpha", 2 * op.attrs[1].real);
    if (loci_error* error = op.set(op.sink, &alpha)) return error;
    const loci_attr more = real_value("more", op.attrs[1].real);  // still what the file has
    if (loci_error* error = op.set(op.sink, &more)) return error;
    if (loci_error* error = op.remove(op.sink, text("nothing"))) return error;
    return op.remove(op.sink, text("old"));
  };
  EXPECT_EQ(upgraded(2, {{"alpha", 1.0}, {"old", 4.0}}),
            (Attributes{{"alpha", 8.0}, {"more", 4.0}}));
}

TEST_F(PluginUpgradeTest, ErrorsNameTheOpAndTheVersion) {
  op_functions.upgrade = [](const loci_upgrade&) {
    return failing(LOCI_CODE_INVALID_ARGUMENT, "old is gone");
  };
  EXPECT_THAT([] { upgraded(1, {}); },
              ThrowsMessage<Error>("[test.upgraded] its upgrade from version 1: old is gone"));
  op_functions.upgrade = [](const loci_upgrade& op) {
    loci_attr bad = real_value("alpha", 1);
    bad.kind = 42;
    return op.set(op.sink, &bad);
  };
  EXPECT_THAT([] { upgraded(1, {}); },
              ThrowsMessage<Error>(HasSubstr("the attribute 'alpha' is of the kind 42")));
}

}  // namespace
}  // namespace loci::ops
