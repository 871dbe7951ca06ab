#include "tools/conformance/verify/fault/failing_lives.h"

#include "tools/conformance/verify/fault/free_memory.h"
#include "tools/conformance/verify/fault/planted_faults.h"
#include "tools/conformance/verify/heap_growth.h"
#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

// Earlier calls, which succeed, make what a device makes at first and then keeps.
constexpr int kFailingOne = 3;
constexpr int kMostAttempts = 8;
constexpr int kFewestLives = 8;

class FailingLives {
 public:
  FailingLives(const Target& target, const Failing& failing) : target_(target), failing_(failing) {}

  void check() {
    live();
    const ProcessState before = ProcessState::now();
    const std::size_t heap = heap_growth([this] { live(); });
    while (memory_.times() < kFewestLives) live();
    if (heap > 0) {
      fail("each life in which {} fails leaves memory of the C heap behind, {} bytes in {} lives",
           failing_.what, heap, kHeapRounds);
    }
    if (memory_.lost() > 0) {
      fail("in lives in which {} fails, mem_info has {} bytes less behind it than before, in {}",
           failing_.what, memory_.lost(), memory_.times());
    }
    const std::string left = ProcessState::wait_for(before);
    if (!left.empty()) fail("where {} fails, there are {} more", failing_.what, left);
  }

 private:
  void live() {
    FaultyDevice faulty(target_, failing_.option, kFailingOne);
    {
      const Attempt attempt = failing_.prepare(faulty);
      try_until_it_fails(faulty.device, attempt);
    }
    use_memory(faulty.device);
    faulty.device.close();
    faulty.instance->destroy();
    const std::string when = fmt::format("where {} fails, after destroy", failing_.what);
    expect_nothing_held(*faulty.instance, when.c_str());
  }

  void try_until_it_fails(OpenDevice& device, const Attempt& attempt) {
    for (int i = 0; i < kMostAttempts; ++i) {
      const std::uint64_t before = free_memory_of(device);
      if (!attempt()) continue;
      memory_.note(before, free_memory_of(device));
      return;
    }
    judge_no_error(target_, failing_.option, kFailingOne, failing_.what);
  }

  const Target& target_;
  const Failing& failing_;
  FreeMemory memory_;
};

}  // namespace

void check_failing_lives(const Target& target, const Failing& failing) {
  FailingLives(target, failing).check();
}

}  // namespace loci::verify
