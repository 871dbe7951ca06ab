#include "plugins/sim/launch_arguments.h"

#include <array>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::HasSubstr;

loci_view view_of(void* data, std::uint64_t bytes, const std::int64_t* dims, std::int32_t rank,
                  std::uint32_t residence = LOCI_RESIDENCE_DEVICE) {
  loci_view view{};
  view.data = data;
  view.bytes = bytes;
  view.dims = dims;
  view.rank = rank;
  view.dtype = LOCI_DTYPE_I32;
  view.residence = residence;
  return view;
}

class LaunchArgumentsTest : public ::testing::Test {
 protected:
  LaunchArgumentsTest() { launch_.outputs = outputs_.data(); }

  std::unique_ptr<LaunchArguments> keep(std::uint64_t workspace = 0) {
    launch_.inputs = inputs_.data();
    return std::make_unique<LaunchArguments>(launch_, static_cast<std::uint32_t>(inputs_.size()), 1,
                                             workspace, memory_, op_);
  }

  DeviceMemory memory_{Settings(), "sim:0"};
  std::string op_ = "slice";
  void* data_ = memory_.allocate(64);
  std::int64_t extent_ = 4;
  loci_view output_ = view_of(data_, 16, &extent_, 1);
  std::vector<const loci_view*> inputs_;
  std::array<const loci_view*, 1> outputs_ = {&output_};
  loci_launch launch_{};
};

TEST_F(LaunchArgumentsTest, ViewsAreOwnedAndTranslated) {
  loci_view input = view_of(static_cast<char*>(data_) + 16, 16, &extent_, 1);
  std::int64_t stride = 1;
  input.strides = &stride;
  inputs_ = {&input};
  launch_.correlation = 9;
  const auto kept = keep();
  extent_ = 77;
  stride = 78;
  const loci_view& copy = *kept->launch().inputs[0];
  EXPECT_EQ(copy.dims[0], 4);
  EXPECT_EQ(copy.strides[0], 1);
  EXPECT_EQ(copy.data, memory_.alias(input.data, 16, "x"));
  EXPECT_EQ(kept->launch().outputs[0]->data, memory_.alias(data_, 16, "x"));
  EXPECT_EQ(kept->launch().correlation, 9U);
  EXPECT_TRUE(kept->reads_device());
  EXPECT_FALSE(kept->writes_host());
}

TEST_F(LaunchArgumentsTest, HostInputsHaveTheValueOfTheCall) {
  std::array<std::int32_t, 3> first = {1, 2, 3};
  std::array<std::int32_t, 2> second = {4, 5};
  const loci_view a = view_of(first.data(), sizeof first, &extent_, 1, LOCI_RESIDENCE_HOST);
  const loci_view b = view_of(second.data(), sizeof second, &extent_, 1, LOCI_RESIDENCE_HOST);
  inputs_ = {&a, &b};
  const auto kept = keep();
  first = {9, 9, 9};
  second = {9, 9};
  EXPECT_EQ(static_cast<const std::int32_t*>(kept->launch().inputs[0]->data)[2], 3);
  EXPECT_EQ(static_cast<const std::int32_t*>(kept->launch().inputs[1]->data)[1], 5);
  EXPECT_FALSE(kept->reads_device());
}

TEST_F(LaunchArgumentsTest, AbsentAndMetadataArgumentsHaveNoData) {
  const loci_view absent{};
  loci_view metadata = view_of(nullptr, 16, &extent_, 1, LOCI_RESIDENCE_METADATA);
  inputs_ = {&absent, &metadata};
  const auto kept = keep();
  EXPECT_EQ(kept->launch().inputs[0]->data, nullptr);
  EXPECT_EQ(kept->launch().inputs[1]->data, nullptr);
  EXPECT_EQ(kept->launch().inputs[1]->dims[0], 4);
  EXPECT_FALSE(kept->reads_device());
}

TEST_F(LaunchArgumentsTest, DeclaresWhatIsReadAndWritten) {
  const loci_view input = view_of(static_cast<char*>(data_) + 16, 8, &extent_, 1);
  inputs_ = {&input};
  launch_.workspace = static_cast<char*>(data_) + 32;
  const auto kept = keep(/*workspace=*/32);
  const auto base = reinterpret_cast<std::uintptr_t>(data_);
  ASSERT_EQ(kept->accesses().size(), 3U);
  const auto expect = [&](std::size_t i, std::uintptr_t first, std::uintptr_t last, bool writes) {
    EXPECT_EQ(kept->accesses()[i].first, base + first);
    EXPECT_EQ(kept->accesses()[i].last, base + last);
    EXPECT_EQ(kept->accesses()[i].writes, writes);
  };
  expect(0, 16, 24, false);
  expect(1, 0, 16, true);
  expect(2, 32, 64, true);
  EXPECT_EQ(kept->launch().workspace, memory_.alias(launch_.workspace, 32, "x"));
}

TEST_F(LaunchArgumentsTest, AnOutputOnTheHostKeepsItsAddress) {
  std::array<std::int32_t, 4> host{};
  output_ = view_of(host.data(), sizeof host, &extent_, 1, LOCI_RESIDENCE_HOST);
  const auto kept = keep();
  EXPECT_TRUE(kept->writes_host());
  EXPECT_EQ(kept->launch().outputs[0]->data, host.data());
}

TEST_F(LaunchArgumentsTest, MemoryFromElsewhereIsRefused) {
  std::array<std::int32_t, 4> host{};
  const loci_view input = view_of(host.data(), sizeof host, &extent_, 1);
  inputs_ = {&input};
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)keep(); }),
              HasSubstr("input 0 of slice"));
  inputs_ = {};
  output_.bytes = 65;
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)keep(); }),
              HasSubstr("output 0 of slice"));
  output_.bytes = 16;
  launch_.workspace = host.data();
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)keep(16); }),
              HasSubstr("the workspace of slice"));
}

}  // namespace
}  // namespace loci::sim
