// Keeps what kernels that say they are shape-agnostic prepared first for arguments of some dtypes
// and ranks, to be launched on every other shape of them.
#pragma once

#include <loci/abi/host.h>
#include <loci/abi/kernels.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tools/conformance/verify/launch/launch_copy.h"

namespace loci::verify {

struct SharedPreparation {
  PreparedKernel kernel;
  std::string shape;  // of the first argument, "[2, 3]"
};

// Its functions may be called from any thread. What is prepared stays so as long as the process.
class SharedPreparations {
 public:
  // NULL if the kernel is not shape-agnostic, its layouts are not plain, or that operator is the
  // first one: then it is prepared for those that come. `kernel` is of that operator.
  const SharedPreparation* find_or_prepare(const loci_kernels_api& api, const loci_host_api& host,
                                           const loci_kernel_def& def, loci_kernel* kernel,
                                           const loci_op_desc& op);

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SharedPreparation>> first_;  // NULL: cannot be prepared
};

}  // namespace loci::verify
