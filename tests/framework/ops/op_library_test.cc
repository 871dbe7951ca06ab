#include "framework/ops/op_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loci/abi/plugin.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "framework/core/abi/error.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/op_tables.h"

namespace loci::ops {
namespace {

using plugin::Instance;
using test::load_error_of;
using test_support::OpTable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The plugin of this file gives these.
std::function<const void*()> given_table;
std::function<const loci_op_def*(std::uint64_t*)> given_defs;

const loci_op_def* defs(loci_plugin*, std::uint64_t* out_count) { return given_defs(out_count); }

loci_error* create(const loci_host_api*, const loci_kv*, std::uint64_t, loci_plugin** out_plugin) {
  static int instance;
  *out_plugin = reinterpret_cast<loci_plugin*>(&instance);
  return nullptr;
}
void destroy(loci_plugin*) {}
loci_error* get_interface(loci_plugin*, loci_str name, std::uint32_t, const void** out_table) {
  *out_table = core::from_abi(name) == LOCI_OPS_INTERFACE ? given_table() : nullptr;
  return nullptr;
}

class OpLibraryTest : public ::testing::Test {
 protected:
  OpLibraryTest() {
    api_.struct_size = sizeof api_;
    api_.defs = defs;
    given_table = [this] { return &api_; };
    given_defs = [this](std::uint64_t* out_count) {
      *out_count = 1;
      return &table_.complete();
    };
    desc_.struct_size = sizeof desc_;
    desc_.create = create;
    desc_.destroy = destroy;
    desc_.get_interface = get_interface;
    instance_ = std::make_unique<Instance>("org.loci.test.tables", "tables.so", desc_);
  }

  std::string cause() {
    return load_error_of([&] { (void)take_op_library(*instance_, {}); }).cause();
  }

  loci_ops_api api_{};
  OpTable table_;
  loci_plugin_desc desc_{};
  std::unique_ptr<Instance> instance_;
};

TEST_F(OpLibraryTest, TakesTheOps) {
  const OpLibrary library = take_op_library(*instance_, {});
  EXPECT_EQ(library.plugin, instance_.get());
  EXPECT_THAT(library.names(), ElementsAre("test.op"));
  ASSERT_EQ(library.schemas.size(), 1u);
  EXPECT_EQ(library.schemas[0].name(), "test.op");
}

TEST_F(OpLibraryTest, RefusesATableThatIsNone) {
  given_table = [] { return nullptr; };
  EXPECT_EQ(cause(), "it says that it brings ops, and it has no loci.ops");
  given_table = [this] { return &api_; };
  api_.struct_size = 4;
  EXPECT_THAT(cause(), HasSubstr("its loci.ops states a size of 4 bytes"));
  api_.struct_size = 8;
  EXPECT_EQ(cause(), "its loci.ops lacks defs");
}

TEST_F(OpLibraryTest, RefusesListsThatAreNone) {
  given_defs = [](std::uint64_t*) { return nullptr; };
  EXPECT_EQ(cause(), "its loci.ops has no ops");
  given_defs = [](std::uint64_t* out_count) {
    *out_count = 2;
    return nullptr;
  };
  EXPECT_EQ(cause(), "its list of ops has 2 entries at NULL");
  given_defs = [](std::uint64_t*) -> const loci_op_def* {
    throw std::runtime_error("out of defs");
  };
  EXPECT_THAT(cause(), HasSubstr("its defs let an exception escape: out of defs"));
  std::vector<loci_op_def> small(2, table_.complete());
  small[0].struct_size = small[1].struct_size = 0;
  given_defs = [&](std::uint64_t* out_count) {
    *out_count = small.size();
    return small.data();
  };
  EXPECT_THAT(cause(), HasSubstr("its list of ops has an entry 0 that states a size of 0 bytes"));
}

TEST_F(OpLibraryTest, RefusesTheSameOpTwice) {
  const std::vector<loci_op_def> twice(2, table_.complete());
  given_defs = [&](std::uint64_t* out_count) {
    *out_count = twice.size();
    return twice.data();
  };
  EXPECT_EQ(cause(), "it has two ops named 'test.op'");
}

}  // namespace
}  // namespace loci::ops
