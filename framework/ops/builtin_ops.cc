#include "framework/ops/op_registry.h"

namespace loci::ops {

void register_builtin_ops(OpRegistry& registry) { (void)registry; }

}  // namespace loci::ops
