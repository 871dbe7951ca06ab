#include "tools/conformance/verify/launch/layout_traps.h"

#include <fmt/format.h>

#include <cstring>

namespace loci::verify {
namespace {

constexpr std::uint8_t kOnes = 0xFF;

bool shares_memory(const loci_view& output, const loci_launch& launch,
                   const ArgumentCounts& counts) {
  for (std::uint32_t i = 0; i < counts.inputs; ++i) {
    if (launch.inputs[i]->data == output.data) return true;
  }
  return false;
}

// A relayout as the launch of a kernel of one input and one output.
loci_error* launch_relayout(const loci_prepared* prepared, const loci_launch* launch) {
  const auto& relayout = *reinterpret_cast<const Relayout*>(prepared);
  return relayout.function(relayout.plugin, relayout.device, launch->inputs[0], launch->outputs[0],
                           launch->stream, launch->correlation);
}

}  // namespace

void soil(const LaunchPlace& place, const loci_view& target, loci_stream* stream) {
  if (target.layout == LOCI_LAYOUT_PLAIN || target.data == nullptr || target.bytes == 0) return;
  if (place.host_memory) {
    std::memset(target.data, kOnes, target.bytes);
    return;
  }
  if (place.api.fill == nullptr) return;
  loci_error* error = place.api.fill(place.device, target.data, target.bytes, &kOnes, 1, stream, 0);
  if (error != nullptr) place.host.error_release(error);
}

void soil_outputs(const LaunchPlace& place, const loci_launch& launch,
                  const ArgumentCounts& counts) {
  if ((launch.flags & LOCI_LAUNCH_CAPTURING) != 0) return;
  for (std::uint32_t o = 0; o < counts.outputs; ++o) {
    const loci_view& output = *launch.outputs[o];
    if (!shares_memory(output, launch, counts)) soil(place, output, launch.stream);
  }
}

std::string rehearse_relayout(const Relayout& relayout, const LaunchPlace& place,
                              const std::string& layout) {
  const loci_view* const inputs[] = {relayout.source};
  const loci_view* const outputs[] = {relayout.target};
  loci_launch launch{};
  launch.inputs = inputs;
  launch.outputs = outputs;
  launch.stream = relayout.stream;
  const ArgumentCounts counts{1, 1};
  if (!LaunchCopy::suits(place, launch, counts)) return {};
  LaunchCopy copy(place, launch, counts, /*turns=*/false);
  if (!copy.usable()) return {};
  const PreparedKernel kernel{
      reinterpret_cast<loci_prepared*>(const_cast<Relayout*>(&relayout)),  // only read
      launch_relayout};
  const Contents once = copy.run(kernel);
  if (once.empty()) return {};
  if (copy.overrun_output()) {
    return fmt::format("relayout writes behind the {} bytes that the layout '{}' has",
                       relayout.target->bytes, layout);
  }
  if (copy.run(kernel) == once) return {};
  return fmt::format("relayout to the layout '{}' writes other bytes each time", layout);
}

}  // namespace loci::verify
