#include "plugins/sim/launch_arguments.h"

#include <fmt/format.h>

#include <cstring>
#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

constexpr std::size_t kUnit = sizeof(std::max_align_t);

bool is_captured(const loci_view& view, bool input) {
  return input && view.data != nullptr && view.residence == LOCI_RESIDENCE_HOST;
}

std::size_t units(std::uint64_t bytes) { return (bytes + kUnit - 1) / kUnit; }

}  // namespace

template <class Name>
std::byte* LaunchArguments::device_data(void* pointer, std::uint64_t bytes, bool writes,
                                        Name name) {
  const auto first = reinterpret_cast<std::uintptr_t>(pointer);
  accesses_.push_back({first, first + bytes, writes});
  try {
    return memory_.alias(pointer, bytes, "an argument");
  } catch (const sdk::Error&) {
    // With the name, which costs too much to make for every launch.
    return memory_.alias(pointer, bytes, name());
  }
}

LaunchArguments::LaunchArguments(const loci_launch& launch, std::uint32_t input_count,
                                 std::uint32_t output_count, std::uint64_t workspace_bytes,
                                 const DeviceMemory& memory, const std::string& op)
    : memory_(memory), op_(op), launch_(launch) {
  for (std::uint32_t i = 0; i < input_count; ++i) count_storage(*launch.inputs[i], true);
  for (std::uint32_t i = 0; i < output_count; ++i) count_storage(*launch.outputs[i], false);
  // Reserved whole, because views point into these.
  extents_.reserve(extent_count_);
  host_data_.resize(host_bytes_ / kUnit);
  views_.reserve(input_count + output_count);
  for (std::uint32_t i = 0; i < input_count; ++i) {
    pointers_.push_back(keep(*launch.inputs[i], true, i));
  }
  for (std::uint32_t i = 0; i < output_count; ++i) {
    pointers_.push_back(keep(*launch.outputs[i], false, i));
  }
  launch_.inputs = pointers_.data();
  launch_.outputs = pointers_.data() + input_count;
  has_workspace_ = workspace_bytes > 0;
  if (has_workspace_) {
    launch_.workspace = device_data(launch.workspace, workspace_bytes, true,
                                    [&] { return fmt::format("the workspace of {}", op_); });
  }
}

std::vector<loci_view> LaunchArguments::public_views() const {
  std::vector<loci_view> views = views_;
  std::size_t next = 0;
  for (loci_view& view : views) {
    if (view.data == nullptr || view.residence != LOCI_RESIDENCE_DEVICE) continue;
    view.data = reinterpret_cast<void*>(accesses_[next++].first);
  }
  return views;
}

void* LaunchArguments::public_workspace() const {
  return has_workspace_ ? reinterpret_cast<void*>(accesses_.back().first) : launch_.workspace;
}

std::uint64_t LaunchArguments::kept_bytes() const {
  return sizeof(*this) + extents_.capacity() * sizeof(std::int64_t) +
         host_data_.capacity() * sizeof(std::max_align_t) + views_.capacity() * sizeof(loci_view) +
         pointers_.capacity() * sizeof(void*) + accesses_.capacity() * sizeof(Access);
}

void LaunchArguments::count_storage(const loci_view& view, bool input) {
  extent_count_ += static_cast<std::size_t>(view.rank) * (view.strides == nullptr ? 1 : 2);
  if (is_captured(view, input)) host_bytes_ += units(view.bytes) * kUnit;
}

const loci_view* LaunchArguments::keep(const loci_view& view, bool input, std::uint32_t index) {
  loci_view& kept = views_.emplace_back(view);
  kept.dims = keep_extents(view.dims, view.rank);
  if (view.strides != nullptr) kept.strides = keep_extents(view.strides, view.rank);
  if (view.data != nullptr) kept.data = keep_data(view, input, index);
  return &kept;
}

const std::int64_t* LaunchArguments::keep_extents(const std::int64_t* extents, std::int32_t rank) {
  const std::int64_t* kept = extents_.data() + extents_.size();
  extents_.insert(extents_.end(), extents, extents + rank);
  return kept;
}

void* LaunchArguments::keep_data(const loci_view& view, bool input, std::uint32_t index) {
  if (view.residence == LOCI_RESIDENCE_METADATA) return nullptr;
  if (view.residence == LOCI_RESIDENCE_DEVICE) {
    reads_device_ = reads_device_ || input;
    return device_data(view.data, view.bytes, !input, [&] {
      return fmt::format("{} {} of {}", input ? "input" : "output", index, op_);
    });
  }
  writes_host_ = writes_host_ || !input;
  if (!is_captured(view, input)) return view.data;
  void* copy = host_data_.data() + host_used_;
  std::memcpy(copy, view.data, view.bytes);
  host_used_ += units(view.bytes);
  return copy;
}

}  // namespace loci::sim
