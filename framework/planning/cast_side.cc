#include "framework/planning/cast_side.h"

#include <algorithm>
#include <optional>

#include "framework/device/device_manager.h"
#include "framework/program/guard_text.h"

namespace loci::planning {
namespace {

using execution::Space;
using execution::space_of;
using program::Operator;
using program::VarId;

// The device that works in that space, if there is one.
device::Device* device_of(Space space) {
  if (space != nullptr) return space;
  auto& devices = device::DeviceManager::instance();
  return devices.count("cpu") > 0 ? &devices.get(Place()) : nullptr;
}

Space space_of_reader(const Operator& op, device::Device& preferred) {
  if (op.guard.empty()) return space_of(&preferred);
  auto& devices = device::DeviceManager::instance();
  return space_of(
      &devices.get(devices.resolve(program::guarded_place(op.guard), preferred.place())));
}

bool reads_bytes(const Operator& op, VarId id) {
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (op.schema->inputs()[slot].residence == ops::Residence::kMetadata) continue;
    const program::Slot& ids = op.inputs[slot];
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) return true;
  }
  return false;
}

// The one space where the result is read; nothing if it is read in several, or in none.
std::optional<Space> reading_space(const CastToPlace& cast, VarId result) {
  std::optional<Space> found;
  const auto agrees = [&found](Space space) {
    if (!found) found = space;
    return *found == space;
  };
  const std::string& name = cast.block.var(result).name;
  if (std::find(cast.fetches.begin(), cast.fetches.end(), name) != cast.fetches.end()) {
    found = nullptr;  // the host
  }
  for (const Operator& op : cast.block.ops) {
    if (reads_bytes(op, result) && !agrees(space_of_reader(op, cast.preferred))) {
      return std::nullopt;
    }
  }
  return found;
}

}  // namespace

device::Device* cheaper_side(const CastToPlace& cast) {
  const Space preferred = space_of(&cast.preferred);
  const VarId result = cast.op.outputs[0][0];
  // State would get its home there, and every later reader a copy.
  if (cast.block.var(result).persistable) return nullptr;
  if (cast.element_bytes_out < cast.element_bytes_in) {
    return cast.input == preferred ? nullptr : device_of(cast.input);
  }
  const bool keeps = cast.element_bytes_out == cast.element_bytes_in;
  if (keeps || cast.input != preferred) return nullptr;
  const std::optional<Space> readers = reading_space(cast, result);
  return readers && *readers != preferred ? device_of(*readers) : nullptr;
}

}  // namespace loci::planning
