// A function for which no stream is the stream of the thread.
#pragma once

#include "tools/cuda_double/driver/thread_state.h"

namespace loci::cuda_double {

template <auto kFunction>
struct OwnStream;
template <typename... Arguments, CUresult (*kFunction)(Arguments...)>
struct OwnStream<kFunction> {
  static CUresult call(Arguments... arguments) {
    bool& null_is_own = ThreadState::get().null_is_own_stream;
    const bool before = null_is_own;
    null_is_own = true;
    const CUresult code = kFunction(arguments...);
    null_is_own = before;
    return code;
  }
};

}  // namespace loci::cuda_double
