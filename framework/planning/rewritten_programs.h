// Programs as the passes left them, kept for other sizes of the same feeds.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/memory/spin_lock.h"
#include "framework/passes/size_notes.h"
#include "framework/planning/known_kernels.h"

namespace loci::planning {

// One of them, with all that it hangs on.
struct RewrittenProgram {
  std::uint64_t uid = 0;  // of the program before
  std::uint64_t version = 0;
  std::vector<execution::PlanFeed> feeds;
  std::vector<std::string> fetches;
  std::shared_ptr<KnownKernels> kernels;  // null: no pass has run
  passes::SizeNotes sizes;
  std::shared_ptr<const program::ProgramImpl> program;
  // True if an operator of it that may be decomposed had no kernel for one of its sizes.
  mutable std::atomic<bool> lacks_kernels{false};
};

// One that serves other sizes than it was made for.
struct RewrittenForSizes {
  std::shared_ptr<const RewrittenProgram> rewritten;  // null: there is none
  passes::SizeNotes::Types types;                     // see SizeNotes::types_if_alike()
};

// Belongs to an executor, whose options and device hold for all. Keeps a few, the latest used ones,
// and as long as those are small; plans that use others keep them alive. Thread-safe.
class RewrittenPrograms {
 public:
  // One that the passes would make again for these feeds, which fit the program.
  RewrittenForSizes find(const program::ProgramImpl& program,
                         const std::vector<execution::PlanFeed>& feeds,
                         const std::vector<std::string>& fetches);
  void add(std::shared_ptr<const RewrittenProgram> rewritten);

  [[nodiscard]] std::size_t size() const;

 private:
  using Entries = std::list<std::shared_ptr<const RewrittenProgram>>;

  [[nodiscard]] std::vector<std::shared_ptr<const RewrittenProgram>> candidates(
      const program::ProgramImpl& program, const std::vector<execution::PlanFeed>& feeds,
      const std::vector<std::string>& fetches) const;
  void use(const std::shared_ptr<const RewrittenProgram>& found);

  mutable memory::SpinLock mutex_;
  Entries entries_;  // the latest used first
};

}  // namespace loci::planning
