// atom and red.
#include <algorithm>
#include <bit>

#include "tools/cuda_double/ptx/instructions/memory_form.h"
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/memory_access.h"
#include "tools/cuda_double/ptx/run/memory_states.h"
#include "tools/cuda_double/ptx/run/undefined.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

// Returns what is stored for what was there and one or two operands, all as bits.
template <class Bits>
using Update = Bits (*)(Bits old, Bits first, Bits second);

template <class Bits>
Bits exchange(Bits /*old*/, Bits value, Bits /*unused*/) {
  return value;
}
template <class Bits>
Bits compare_and_swap(Bits old, Bits expected, Bits value) {
  return old == expected ? value : old;
}
template <class Bits>
Bits bit_and(Bits old, Bits value, Bits /*unused*/) {
  return old & value;
}
template <class Bits>
Bits bit_or(Bits old, Bits value, Bits /*unused*/) {
  return old | value;
}
template <class Bits>
Bits bit_xor(Bits old, Bits value, Bits /*unused*/) {
  return old ^ value;
}
template <class Bits>
Bits add(Bits old, Bits value, Bits /*unused*/) {
  return old + value;
}
std::uint32_t increment(std::uint32_t old, std::uint32_t limit, std::uint32_t /*unused*/) {
  return old >= limit ? 0 : old + 1;
}
std::uint32_t decrement(std::uint32_t old, std::uint32_t limit, std::uint32_t /*unused*/) {
  return old == 0 || old > limit ? limit : old - 1;
}
template <class T, bool kMaximum>
std::make_unsigned_t<T> integer_extreme(std::make_unsigned_t<T> old, std::make_unsigned_t<T> value,
                                        std::make_unsigned_t<T> /*unused*/) {
  const auto a = static_cast<T>(old);
  const auto b = static_cast<T>(value);
  return static_cast<std::make_unsigned_t<T>>(kMaximum ? std::max(a, b) : std::min(a, b));
}

// Subnormals are kept, which devices do in shared memory and not in global.
std::uint32_t add_float(std::uint32_t old, std::uint32_t value, std::uint32_t /*unused*/) {
  const float sum = std::bit_cast<float>(old) + std::bit_cast<float>(value);
  return std::bit_cast<std::uint32_t>(canonical(sum));
}
std::uint64_t add_double(std::uint64_t old, std::uint64_t value, std::uint64_t /*unused*/) {
  return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
}

enum class HalfOperation : std::uint8_t { kAdd, kMinimum, kMaximum };

template <class T, HalfOperation kOperation>
T half_result(T old, T value) {
  const float a = to_float(old);
  const float b = to_float(value);
  switch (kOperation) {
    case HalfOperation::kAdd: return round_to<T>(a + b);
    case HalfOperation::kMinimum: return round_to<T>(extreme<false, false>(a, b));
    case HalfOperation::kMaximum: return round_to<T>(extreme<true, false>(a, b));
  }
  return old;
}
template <class T, HalfOperation kOperation>
std::uint16_t update_half(std::uint16_t old, std::uint16_t value, std::uint16_t /*unused*/) {
  return half_result<T, kOperation>(T{old}, T{value}).bits;
}
template <class T, HalfOperation kOperation>
std::uint32_t update_pair(std::uint32_t old, std::uint32_t value, std::uint32_t /*unused*/) {
  const auto half = [&](unsigned shift) {
    return std::uint32_t{half_result<T, kOperation>(T{static_cast<std::uint16_t>(old >> shift)},
                                                    T{static_cast<std::uint16_t>(value >> shift)})
                             .bits}
           << shift;
  };
  return half(0) | half(16);
}

// Lane after lane, each at once for all threads of the host.
template <class Bits, Update<Bits> kUpdate>
Bits update(std::byte* at, Bits first, Bits second) {
  auto* target = reinterpret_cast<Bits*>(at);
  Bits old = __atomic_load_n(target, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(target, &old, kUpdate(old, first, second), true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
  return old;
}

void mark_states(Warp& warp, const Instruction& instruction, LaneMask mask,
                 const LanePointers& pointers, std::size_t bytes, bool needs_old) {
  for (unsigned i = 1; i < instruction.sources; ++i) {
    require_defined(warp, instruction.operands[instruction.results + i], mask,
                    "an operand of an atomic access");
  }
  if (needs_old) require_written(warp, mask, pointers, bytes);
  if (instruction.results > 0) {
    load_states(warp, instruction.operands[0], mask, pointers, 0, bytes);
  }
  store_states(warp, instruction.operands[instruction.results + 1], mask, pointers, 0, bytes,
               StateSpace::kGeneric);
}

template <class Bits, Update<Bits> kUpdate>
void atomic(Warp& warp, const Instruction& instruction, LaneMask mask) {
  LaneAddresses addresses;
  LanePointers pointers;
  read_addresses(warp, instruction, mask, addresses);
  const std::uint32_t modifiers = instruction.modifiers;
  const MemoryAccess access{.space = static_cast<StateSpace>(modifiers & kSpaceMask),
                            .bytes = sizeof(Bits),
                            .reads = true,
                            .writes = true,
                            .strong = true,
                            .acquires = (modifiers & kAcquires) != 0,
                            .releases = (modifiers & kReleases) != 0};
  locate(warp, mask, addresses, access, pointers);
  if (warp.tracks_undefined) {
    mark_states(warp, instruction, mask, pointers, sizeof(Bits), kUpdate != exchange<Bits>);
  }
  const Bits* first = warp.source<Bits>(instruction, 1);
  const Bits* second = warp.source<Bits>(instruction, instruction.sources - 1U);
  Bits* result = instruction.results > 0 ? warp.result<Bits>(instruction) : nullptr;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const Bits old = update<Bits, kUpdate>(pointers.data[lane], first[lane], second[lane]);
    if (result != nullptr) result[lane] = old;
  });
}

template <class Bits>
Handler untyped_handler(std::string_view name) {
  if (name == "exch") return atomic<Bits, exchange<Bits>>;
  if (name == "cas") return atomic<Bits, compare_and_swap<Bits>>;
  if constexpr (sizeof(Bits) >= 4) {
    if (name == "and") return atomic<Bits, bit_and<Bits>>;
    if (name == "or") return atomic<Bits, bit_or<Bits>>;
    if (name == "xor") return atomic<Bits, bit_xor<Bits>>;
  }
  return nullptr;
}

template <class T>
Handler integer_handler(std::string_view name) {
  using Bits = std::make_unsigned_t<T>;
  if (name == "add") return atomic<Bits, add<Bits>>;
  if (name == "min") return atomic<Bits, integer_extreme<T, false>>;
  if (name == "max") return atomic<Bits, integer_extreme<T, true>>;
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    if (name == "inc") return atomic<Bits, increment>;
    if (name == "dec") return atomic<Bits, decrement>;
  }
  return untyped_handler<Bits>(name);
}

template <class T>
Handler half_handler(std::string_view name, bool pair) {
  if (name == "add") {
    return pair ? atomic<std::uint32_t, update_pair<T, HalfOperation::kAdd>>
                : atomic<std::uint16_t, update_half<T, HalfOperation::kAdd>>;
  }
  if (name == "min") {
    return pair ? atomic<std::uint32_t, update_pair<T, HalfOperation::kMinimum>>
                : atomic<std::uint16_t, update_half<T, HalfOperation::kMinimum>>;
  }
  if (name != "max") return nullptr;
  return pair ? atomic<std::uint32_t, update_pair<T, HalfOperation::kMaximum>>
              : atomic<std::uint16_t, update_half<T, HalfOperation::kMaximum>>;
}

Handler pick(std::string_view name, ScalarType type) {
  switch (type) {
    case ScalarType::kB16: return untyped_handler<std::uint16_t>(name);
    case ScalarType::kB32: return untyped_handler<std::uint32_t>(name);
    case ScalarType::kB64: return untyped_handler<std::uint64_t>(name);
    case ScalarType::kU32: return integer_handler<std::uint32_t>(name);
    case ScalarType::kS32: return integer_handler<std::int32_t>(name);
    case ScalarType::kU64: return integer_handler<std::uint64_t>(name);
    case ScalarType::kS64: return integer_handler<std::int64_t>(name);
    case ScalarType::kF32: return name == "add" ? atomic<std::uint32_t, add_float> : nullptr;
    case ScalarType::kF64: return name == "add" ? atomic<std::uint64_t, add_double> : nullptr;
    case ScalarType::kF16: return half_handler<Half>(name, false);
    case ScalarType::kBf16: return half_handler<Bf16>(name, false);
    case ScalarType::kF16x2: return half_handler<Half>(name, true);
    case ScalarType::kBf16x2: return half_handler<Bf16>(name, true);
    default: return nullptr;
  }
}

}  // namespace

void translate_atomic(Translator& translator, Form form) {
  const bool has_result = form.name() == "atom";
  MemoryForm memory = take_memory_form(form);
  memory.strong = true;
  const std::string_view name =
      form.take_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  const ScalarType type = form.take_type();
  (void)form.take("noftz");
  form.finish();
  const Handler handler = known(pick(name, type), form);
  const unsigned address = has_result ? 1 : 0;
  const unsigned operands = name == "cas" ? 2 : 1;
  translator.expect_operands(address + 1 + operands, address + 2 + operands);
  InstructionBuilder builder = translator.build(handler);
  if (has_result) builder.result(0, type);
  builder.address(address, memory.space);
  for (unsigned i = 1; i <= operands; ++i) builder.source(address + i, type);
  builder.modifiers(memory_modifiers(memory)).flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
