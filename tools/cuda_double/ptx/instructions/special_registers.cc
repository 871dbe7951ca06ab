#include "tools/cuda_double/ptx/instructions/special_registers.h"

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kEnvironmentRegisters = 32;

std::uint32_t axis(const Dim3& extents, std::uint32_t number) {
  return number == 0 ? extents.x : number == 1 ? extents.y : extents.z;
}

const LaunchConfig& config_of(const Warp& warp) { return *warp.block->grid->config; }

template <class Value, class Function>
void put_same(Warp& warp, const Instruction& instruction, LaneMask mask, const Function& value) {
  auto* result = warp.result<Value>(instruction);
  const auto same = static_cast<Value>(value());
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = same; });
}

template <class Value, std::uint64_t (*kValue)(const Warp&, std::uint32_t)>
void same_for_all(Warp& warp, const Instruction& instruction, LaneMask mask) {
  put_same<Value>(warp, instruction, mask, [&] { return kValue(warp, instruction.modifiers); });
}

void thread_place(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const Dim3& extents = config_of(warp).block;
  auto* result = warp.result<std::uint32_t>(instruction);
  for_each_lane(mask, [&](std::uint32_t lane) {
    result[lane] = axis(extents.place(warp.index * kLanes + lane), instruction.modifiers);
  });
}

void lane_number(Warp& warp, const Instruction& instruction, LaneMask mask) {
  auto* result = warp.result<std::uint32_t>(instruction);
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = lane; });
}

enum LaneRelation : std::uint32_t { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

void lane_mask(Warp& warp, const Instruction& instruction, LaneMask mask) {
  auto* result = warp.result<std::uint32_t>(instruction);
  for_each_lane(mask, [&](std::uint32_t lane) {
    const LaneMask equal = LaneMask{1} << lane;
    const LaneMask less = equal - 1;
    switch (instruction.modifiers) {
      case kEqual: result[lane] = equal; break;
      case kLess: result[lane] = less; break;
      case kLessEqual: result[lane] = less | equal; break;
      case kGreater: result[lane] = ~(less | equal); break;
      default: result[lane] = ~less; break;
    }
  });
}

std::uint64_t block_extent(const Warp& warp, std::uint32_t number) {
  return axis(config_of(warp).block, number);
}
std::uint64_t block_place(const Warp& warp, std::uint32_t number) {
  return axis(warp.block->id, number);
}
std::uint64_t grid_extent(const Warp& warp, std::uint32_t number) {
  return axis(config_of(warp).grid, number);
}
std::uint64_t warp_number(const Warp& warp, std::uint32_t /*number*/) { return warp.index; }
std::uint64_t warp_count(const Warp& warp, std::uint32_t /*number*/) {
  return warp.block->warps.size();
}
std::uint64_t unit_number(const Warp& warp, std::uint32_t /*number*/) {
  return warp.block->index % config_of(warp).compute_units;
}
std::uint64_t unit_count(const Warp& warp, std::uint32_t /*number*/) {
  return config_of(warp).compute_units;
}
// The number itself: what is the same everywhere.
std::uint64_t fixed(const Warp& /*warp*/, std::uint32_t number) { return number; }
// Instructions that the warp has executed.
std::uint64_t clock_low(const Warp& warp, std::uint32_t /*number*/) { return warp.executed; }
std::uint64_t clock_high(const Warp& warp, std::uint32_t /*number*/) { return warp.executed >> 32; }
std::uint64_t time_now(const Warp& /*warp*/, std::uint32_t shift) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return static_cast<std::uint64_t>(ns) >> shift;
}
std::uint64_t dynamic_shared_bytes(const Warp& warp, std::uint32_t /*number*/) {
  return config_of(warp).dynamic_shared_bytes;
}
std::uint64_t shared_bytes(const Warp& warp, std::uint32_t /*number*/) {
  return warp.block->grid->shared_bytes;
}
// Cooperative groups find the memory of the grid's barrier in these two.
std::uint64_t environment(const Warp& warp, std::uint32_t number) {
  const std::uint64_t workspace = warp.block->grid->workspace;
  if (number == 1) return workspace >> 32;
  return number == 2 ? workspace & 0xffffffff : 0;
}
std::uint64_t local_base(const Warp& warp, std::uint32_t /*number*/) {
  return warp.frame->local_base;
}
std::uint64_t dynamic_shared_base(const Warp& warp, std::uint32_t /*number*/) {
  return warp.block->grid->static_shared_bytes;
}

template <std::uint64_t (*kValue)(const Warp&, std::uint32_t)>
SpecialRegister word(std::uint32_t number = 0) {
  return {same_for_all<std::uint32_t, kValue>, 4, number};
}
template <std::uint64_t (*kValue)(const Warp&, std::uint32_t)>
SpecialRegister long_word(std::uint32_t number = 0) {
  return {same_for_all<std::uint64_t, kValue>, 8, number};
}

using Table = std::map<std::string, SpecialRegister, std::less<>>;

void add_places(Table& table) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::string end = {'.', static_cast<char>('x' + i)};
    table["%tid" + end] = {thread_place, 4, i};
    table["%ntid" + end] = word<block_extent>(i);
    table["%ctaid" + end] = word<block_place>(i);
    table["%nctaid" + end] = word<grid_extent>(i);
    // Each block is a cluster of its own.
    table["%clusterid" + end] = word<block_place>(i);
    table["%nclusterid" + end] = word<grid_extent>(i);
    table["%cluster_ctaid" + end] = word<fixed>(0);
    table["%cluster_nctaid" + end] = word<fixed>(1);
  }
}

void add_lanes(Table& table) {
  table["%laneid"] = {lane_number, 4, 0};
  table["%lanemask_eq"] = {lane_mask, 4, kEqual};
  table["%lanemask_lt"] = {lane_mask, 4, kLess};
  table["%lanemask_le"] = {lane_mask, 4, kLessEqual};
  table["%lanemask_gt"] = {lane_mask, 4, kGreater};
  table["%lanemask_ge"] = {lane_mask, 4, kGreaterEqual};
  table["%warpid"] = word<warp_number>();
  table["%nwarpid"] = word<warp_count>();
}

Table make_table() {
  Table table;
  add_places(table);
  add_lanes(table);
  table["%smid"] = word<unit_number>();
  table["%nsmid"] = word<unit_count>();
  table["%gridid"] = long_word<fixed>(1);
  table["%cluster_ctarank"] = word<fixed>(0);
  table["%cluster_nctarank"] = word<fixed>(1);
  table["%clock"] = word<clock_low>();
  table["%clock_hi"] = word<clock_high>();
  table["%clock64"] = long_word<clock_low>();
  table["%globaltimer"] = long_word<time_now>();
  table["%globaltimer_lo"] = word<time_now>();
  table["%globaltimer_hi"] = word<time_now>(32);
  table["%dynamic_smem_size"] = word<dynamic_shared_bytes>();
  table["%total_smem_size"] = word<shared_bytes>();
  table["%aggr_smem_size"] = word<shared_bytes>();
  for (std::uint32_t i = 0; i < kEnvironmentRegisters; ++i) {
    table["%envreg" + std::to_string(i)] = word<environment>(i);
  }
  table[std::string(kLocalBaseRegister)] = long_word<local_base>();
  table[std::string(kDynamicSharedRegister)] = long_word<dynamic_shared_base>();
  return table;
}

const Table& table() {
  static const Table kTable = make_table();
  return kTable;
}

}  // namespace

bool is_special_register(std::string_view name) { return table().count(name) > 0; }

SpecialRegister special_register(std::string_view name) { return table().find(name)->second; }

}  // namespace loci::cuda_double
