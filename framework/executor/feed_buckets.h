// Feeds of many extents in plans of a few: CompileOptions::buckets.
#pragma once

#include <cstdint>
#include <loci/executor.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/recent_map.h"

namespace loci::executor {

// Fills the feeds of data variables whose dimension 0 is dynamic up to a bucket. Thread-safe.
class FeedBuckets {
 public:
  // Takes what is said of buckets out of the options: plans know nothing of them. Throws
  // Error(kInvalidArgument) unless they ascend.
  explicit FeedBuckets(CompileOptions* options);

  [[nodiscard]] bool is_empty() const { return buckets_.empty(); }

  struct Filled {
    Feed feed;
    std::int64_t bucket = 0;
    std::int64_t rows = 0;  // that were given
  };
  // None where the feeds are to be taken as they are: they have a bucket's rows, or none that could
  // be filled up, or more than any bucket, or rows that hang on others. Throws
  // Error(kInvalidArgument) where they differ in their rows.
  [[nodiscard]] std::optional<Filled> fill(const Program& program, const Feed& feed,
                                           const std::vector<Fetch>& fetch);
  // The rows that were given. Throws Error(kInvalidArgument) for a result with others than the
  // bucket's.
  static void cut(const Filled& filled, std::vector<Tensor>* fetched);

  // Implements Executor::bucket_refusals().
  [[nodiscard]] std::vector<std::string> refusals() const;

 private:
  // No bucket: there are too many rows for any.
  [[nodiscard]] bool may_fill(const Program& program, const Feed& feed,
                              const std::vector<Fetch>& fetch, std::optional<std::int64_t> bucket);
  [[nodiscard]] std::string refusal(const Program& program, const Feed& feed,
                                    const std::vector<Fetch>& fetch,
                                    std::optional<std::int64_t> bucket) const;

  std::vector<std::int64_t> buckets_;
  bool rows_are_independent_ = false;
  mutable std::mutex mutex_;
  // Empty where there is none; by program, fetches and form. The longest unused go.
  core::RecentMap<std::string> refusals_;
};

}  // namespace loci::executor
