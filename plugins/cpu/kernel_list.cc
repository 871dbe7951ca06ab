#include "plugins/cpu/kernel_list.h"

#include <iterator>
#include <utility>

#include "plugins/cpu/onednn/kernel_list.h"

namespace loci::cpu {

kernels::KernelDefs cpu_kernels(bool with_onednn) {
  kernels::KernelDefs list;
  if (with_onednn) list = onednn::onednn_kernels();
  kernels::KernelDefs portable = kernels::portable_kernels();
  list.insert(list.end(), std::make_move_iterator(portable.begin()),
              std::make_move_iterator(portable.end()));
  return list;
}

}  // namespace loci::cpu
