#include "plugins/cpu/kernel_list.h"

#include <iterator>
#include <utility>

#include "plugins/cpu/fused_kernels.h"
#include "plugins/cpu/nhwc_kernels.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/packed_kernels.h"
#include "plugins/cpu/plane_kernels.h"
#include "plugins/cpu/winograd_conv2d.h"

namespace loci::cpu {

kernels::KernelDefs cpu_kernels(const KernelChoice& choice) {
  kernels::KernelDefs list = packed_matmul_kernels();
  const auto add = [&](kernels::KernelDefs more) {
    list.insert(list.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  };
  add(pointwise_kernels());
  add(depthwise_kernels());
  add(plane_kernels());
  add(filter_grad_kernels());
  if (choice.winograd) add(winograd_kernels());
  if (choice.onednn) add(onednn::onednn_kernels());
  add(fused_kernels());
  add(with_nhwc(kernels::portable_kernels()));
  return list;
}

}  // namespace loci::cpu
