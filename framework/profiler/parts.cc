#include "framework/profiler/parts.h"

#include <array>

namespace loci::profiler {
namespace {

constexpr std::size_t kParts = static_cast<std::size_t>(Part::kCount);

struct Name {
  std::uint32_t kind;
  const char* text;
};
constexpr std::array<Name, kParts> kNames = {{{LOCI_SPAN_RUN, "run"},
                                              {LOCI_SPAN_FRAMEWORK, "feed"},
                                              {LOCI_SPAN_FRAMEWORK, "fetch"},
                                              {LOCI_SPAN_FRAMEWORK, "init_variables"},
                                              {LOCI_SPAN_FRAMEWORK, "eager_release"},
                                              {LOCI_SPAN_FRAMEWORK, "compile_plan"},
                                              {LOCI_SPAN_FRAMEWORK, "load_plugin"},
                                              {LOCI_SPAN_FRAMEWORK, "capture_graph"},
                                              {LOCI_SPAN_FRAMEWORK, "instantiate_graph"},
                                              {LOCI_SPAN_FRAMEWORK, "replay_graph"},
                                              {LOCI_SPAN_PHASE, "prepare_data"},
                                              {LOCI_SPAN_PHASE, "infer_shape"},
                                              {LOCI_SPAN_PHASE, "compute"}}};

std::array<LabelId, kParts> intern_all() {
  std::array<LabelId, kParts> labels{};
  for (std::size_t i = 0; i < kParts; ++i) {
    labels[i] = LabelTable::instance().intern({.kind = kNames[i].kind, .name = kNames[i].text});
  }
  return labels;
}

}  // namespace

LabelId label_of(Part part) {
  static const std::array<LabelId, kParts> labels = intern_all();
  return labels[static_cast<std::size_t>(part)];
}

}  // namespace loci::profiler
