// cvta and isspacep: between addresses of a space and generic ones.
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

void to_generic(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const auto* source = warp.source<std::uint64_t>(instruction, 0);
  auto* result = warp.result<std::uint64_t>(instruction);
  const auto window = static_cast<std::uint64_t>(instruction.immediate);
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = source[lane] + window; });
}

void from_generic(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const auto* source = warp.source<std::uint64_t>(instruction, 0);
  auto* result = warp.result<std::uint64_t>(instruction);
  const auto window = static_cast<std::uint64_t>(instruction.immediate);
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = source[lane] - window; });
}

void is_in_space(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const auto* source = warp.source<std::uint64_t>(instruction, 0);
  const auto window = static_cast<std::uint64_t>(instruction.immediate);
  LaneMask value = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const bool inside = source[lane] >> kWindowShift == window >> kWindowShift;
    value |= static_cast<LaneMask>(inside) << lane;
  });
  auto* result = warp.result<LaneMask>(instruction);
  *result = (*result & ~mask) | value;
}

std::uint64_t take_window(Form& form) {
  (void)form.take("to");
  const std::string_view space =
      form.take_one_of({"global", "const", "shared", "shared::cta", "shared::cluster", "local",
                        "param", "param::entry"});
  if (space.empty()) form.unsupported();
  if (space.substr(0, 6) == "shared") return kSharedWindow;
  if (space == "local") return kLocalWindow;
  return space.substr(0, 5) == "param" ? kParamWindow : 0;
}

}  // namespace

void translate_address(Translator& translator, Form form) {
  if (form.name() == "isspacep") {
    const std::uint64_t window = take_window(form);
    form.finish();
    translator.expect_operands(2);
    translator.build(is_in_space)
        .result(0, ScalarType::kPred)
        .source(1, ScalarType::kU64)
        .immediate(static_cast<std::int64_t>(window))
        .emit();
    return;
  }
  const bool to_space = form.has("to");
  const std::uint64_t window = take_window(form);
  if (form.take_type() != ScalarType::kU64) form.unsupported();
  form.finish();
  translator.expect_operands(2);
  translator.build(to_space ? from_generic : to_generic)
      .result(0, ScalarType::kU64)
      .source(1, ScalarType::kU64)
      .immediate(static_cast<std::int64_t>(window))
      .flow(DataFlow::kCopy)
      .emit();
}

}  // namespace loci::cuda_double
