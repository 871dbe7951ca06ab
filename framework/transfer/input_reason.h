// One rule for programs and for ops on tensors: why an operator's input is copied.
#pragma once

#include "framework/transfer/transfer.h"

namespace loci::transfer {

// How an operator meets a value that lies elsewhere than it is needed.
struct Need {
  bool is_read_on_host = false;  // the op reads it there, wherever it runs
  bool fell_back = false;        // the op runs on the CPU because its place has no kernel
  bool is_fed = false;           // it is what a caller fed, as it is
};

constexpr Reason input_reason(const Need& need) {
  if (need.is_read_on_host) return Reason::kHostRead;
  if (need.fell_back) return Reason::kFallback;
  return need.is_fed ? Reason::kFeed : Reason::kPrepareData;
}

}  // namespace loci::transfer
