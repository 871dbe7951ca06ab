// Profile files.
#include <loci/error.hpp>
#include <optional>
#include <utility>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/support/seal_profile.h"

// libFuzzer's own mutation; absent in a replay.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most)
    __attribute__((weak));

namespace loci::fuzz {
namespace {

void check_tree(const loci_profile& profile) {
  std::uint64_t calls = 0;
  for (std::uint64_t i = 0; i < profile.node_count; ++i) {
    const loci_profile_node& node = profile.nodes[i];
    demand(node.parent == LOCI_PROFILE_NONE || node.parent < i, "a node comes before its parent");
    demand(i + node.descendants < profile.node_count, "a node has descendants beyond the tree");
    demand(node.calls > 0 && node.min_ns <= node.max_ns, "a node has no calls");
    calls += node.calls;
  }
  demand(calls == profile.span_count, "a span is lost in the tree");
}

void check_spans(const loci_profile& profile) {
  for (std::uint64_t i = 0; i < profile.span_count; ++i) {
    const loci_profile_span& span = profile.spans[i];
    demand(span.self_ns <= span.end_ns - span.begin_ns, "a span has more self time than time");
    if (span.parent == LOCI_PROFILE_NONE) continue;
    demand(span.parent < i, "a span comes before what is around it");
    const loci_profile_span& around = profile.spans[span.parent];
    demand(around.begin_ns <= span.begin_ns && span.end_ns <= around.end_ns,
           "a span sticks out of what is around it");
  }
}

// Spans that overlap are no profile.
void check_profile(profiler::Recording recording) {
  try {
    const profiler::Profile profile(std::move(recording));
    check_tree(profile.abi());
    check_spans(profile.abi());
  } catch (const Error& error) {
    demand(error.code() == ErrorCode::kDataLoss, error.what());
  }
}

void check(std::string_view content) {
  static const ScratchFile scratch("run.lociprof");
  static const ScratchFile copy("copy.lociprof");
  scratch.write(content);
  std::optional<profiler::Recording> recording;
  const auto load = [&] { recording = profiler::read_profile(scratch.path()); };
  if (!accepts({content.size(), scratch.path() + ": "}, load)) return;
  profiler::write_profile(*recording, copy.path());
  demand(copy.read() == content, "a profile that is written again is another one");
  check_profile(std::move(*recording));
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}

// Most changes would end at a checksum; so most get one that fits.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 8 != 0) loci::test_support::seal_profile(reinterpret_cast<char*>(data), size);
  return size;
}
