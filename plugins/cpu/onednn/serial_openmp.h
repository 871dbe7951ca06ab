// Keeping oneDNN on the calling thread.
#pragma once

#include <omp.h>

namespace loci::cpu::onednn {

// While it lives, OpenMP's number of threads for the calling thread is one: a primitive that is
// made then has a scratchpad for one thread, and has to run with no more. Loci's team runs several
// at once, so that a thread which the processor is taken from holds nobody up.
class SerialOpenMp {
 public:
  SerialOpenMp() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~SerialOpenMp() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  SerialOpenMp(const SerialOpenMp&) = delete;
  SerialOpenMp& operator=(const SerialOpenMp&) = delete;

 private:
  int before_;
};

}  // namespace loci::cpu::onednn
