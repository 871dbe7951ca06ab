// ldmatrix: 8 x 8 matrices of 16 bits from shared memory, a row of which is named by a lane, and
// two elements of which go to each lane.
#include <array>

#include "tools/cuda_double/ptx/instructions/matrix.h"
#include "tools/cuda_double/ptx/instructions/memory_form.h"
#include "tools/cuda_double/ptx/run/host_access.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/memory_access.h"
#include "tools/cuda_double/ptx/run/memory_states.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kRows = 8;
constexpr std::uint32_t kRowBytes = 16;
constexpr std::uint32_t kElementBytes = 2;

// Where each lane finds the first or the second of its elements.
template <bool kTransposed>
LanePointers elements_of(const LanePointers& rows, std::uint32_t matrix, std::uint32_t which) {
  LanePointers elements;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t pair = lane % 4 * 2 + which;
    const std::uint32_t row = matrix * kRows + (kTransposed ? pair : lane / 4);
    const std::uint32_t offset = (kTransposed ? lane / 4 : pair) * kElementBytes;
    elements.data[lane] = rows.data[row] + offset;
    elements.states[lane] = rows.states[row] == nullptr ? nullptr : rows.states[row] + offset;
  }
  return elements;
}

void load_states_of(Warp& warp, RegisterRef result, const LanePointers& low,
                    const LanePointers& high) {
  load_states(warp, result, kAllLanes, low, 0, kElementBytes);
  const RegisterState of_low = *warp.state(result);
  load_states(warp, result, kAllLanes, high, 0, kElementBytes);
  RegisterState& both = *warp.state(result);
  both.undefined |= of_low.undefined;
  both.computed |= of_low.computed;
}

template <bool kTransposed>
void load_matrices(Warp& warp, const Instruction& instruction, LaneMask mask) {
  require_whole_warp(warp, mask);
  const std::uint32_t rows = instruction.results * kRows;
  const LaneMask named = rows == kLanes ? kAllLanes : (LaneMask{1} << rows) - 1;
  LaneAddresses addresses;
  LanePointers pointers;
  read_addresses(warp, instruction, named, addresses);
  locate(warp, named, addresses,
         {.space = static_cast<StateSpace>(instruction.modifiers & kSpaceMask), .bytes = kRowBytes},
         pointers);
  for (std::uint32_t matrix = 0; matrix < instruction.results; ++matrix) {
    const LanePointers low = elements_of<kTransposed>(pointers, matrix, 0);
    const LanePointers high = elements_of<kTransposed>(pointers, matrix, 1);
    auto* result = warp.result<std::uint32_t>(instruction, matrix);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      result[lane] = read_host<std::uint16_t>(low.data[lane]) |
                     static_cast<std::uint32_t>(read_host<std::uint16_t>(high.data[lane])) << 16;
    }
    if (warp.tracks_undefined) load_states_of(warp, instruction.operands[matrix], low, high);
  }
}

std::size_t take_count(Form& form) {
  if (form.take("x1")) return 1;
  if (form.take("x2")) return 2;
  if (!form.take("x4")) form.unsupported();
  return 4;
}

}  // namespace

void translate_matrix_load(Translator& translator, Form& form) {
  if (!form.take("m8n8")) form.unsupported();
  const std::size_t count = take_count(form);
  const bool transposed = form.take("trans");
  if (!form.take("b16")) form.unsupported();
  const MemoryForm memory = take_memory_form(form);
  form.finish();
  if (memory.space != StateSpace::kShared && memory.space != StateSpace::kGeneric) {
    translator.fail("matrices are loaded from shared memory");
  }
  translator.expect_operands(2);
  InstructionBuilder builder =
      translator.build(transposed ? load_matrices<true> : load_matrices<false>);
  for (const OperandSyntax& part : matrix_registers(translator, 0, count)) {
    builder.result(part, ScalarType::kB32);
  }
  builder.address(1, memory.space).modifiers(memory_modifiers(memory)).flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
