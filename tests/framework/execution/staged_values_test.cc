#include "framework/execution/staged_values.h"

#include <gtest/gtest.h>

#include "framework/device/device_manager.h"
#include "tests/framework/capture/native_fixture.h"

namespace loci::execution {
namespace {

PlanValue value_of_kind(StorageKind storage, device::Device* space) {
  PlanValue value;
  value.type = {kFloat32, {4}};
  value.bytes = 16;
  value.space = space;
  value.storage = storage;
  return value;
}

// x is fed, h lies in the arena, y is fetched, w is a variable, s is fed and lies on the host.
TEST(StagedValuesTest, HaveWhatRunsBindOnTheDevice) {
  capture::in_native_context({}, [] {
    device::Device& sim = device::DeviceManager::instance().get(Place("sim:0"));
    Plan plan;
    plan.values = {
        value_of_kind(StorageKind::kFeed, &sim), value_of_kind(StorageKind::kArena, &sim),
        value_of_kind(StorageKind::kFetch, &sim), value_of_kind(StorageKind::kScope, &sim),
        value_of_kind(StorageKind::kFeed, nullptr)};
    Instruction first;
    first.step = LaunchStep{nullptr, {false, false, false}, {}, 0, 0};
    first.device = &sim;
    first.inputs = {0, 3, 4};
    first.outputs = {1};
    Instruction second;
    second.step = LaunchStep{nullptr, {false}, {}, 0, 0};
    second.device = &sim;
    second.inputs = {1};
    second.outputs = {2};
    plan.instructions = {first, second};
    const StagedValues all(plan, 0, 2);
    EXPECT_TRUE(all.has(0));
    EXPECT_TRUE(all.has(2));
    for (const ValueId other : {1, 3, 4}) EXPECT_FALSE(all.has(other)) << other;
    EXPECT_EQ(all.bytes(), 32U);
    const StagedValues half(plan, 1, 2);
    EXPECT_FALSE(half.has(0));
    EXPECT_EQ(half.bytes(), 16U);
  });
}

}  // namespace
}  // namespace loci::execution
