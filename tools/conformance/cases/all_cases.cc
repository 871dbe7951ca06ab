#include "tools/conformance/cases/families.h"

namespace loci::conformance {
namespace {

struct Family {
  const char* name;
  void (*add)(Suite&);
};

constexpr Family kFamilies[] = {
    {"creation", add_creation_cases},
    {"random", add_random_cases},
    {"elementwise_binary", add_elementwise_binary_cases},
    {"elementwise_unary", add_elementwise_unary_cases},
    {"unary_math", add_unary_math_cases},
    {"activation", add_activation_cases},
    {"compare", add_compare_cases},
    {"cast", add_cast_cases},
    {"embedding", add_embedding_cases},
    {"nonzero", add_nonzero_cases},
    {"matmul", add_matmul_cases},
    {"conv2d", add_conv2d_cases},
    {"pool2d", add_pool2d_cases},
    {"bilinear_interp", add_bilinear_interp_cases},
    {"batch_norm", add_batch_norm_cases},
    {"layer_norm", add_layer_norm_cases},
    {"dropout", add_dropout_cases},
    {"reshape", add_reshape_cases},
    {"shape", add_shape_cases},
    {"transpose", add_transpose_cases},
    {"slice", add_slice_cases},
    {"concat", add_concat_cases},
    {"expand", add_expand_cases},
    {"gather", add_gather_cases},
    {"reduce", add_reduce_cases},
    {"reduce_fold", add_reduce_fold_cases},
    {"l2_normalize", add_l2_normalize_cases},
    {"sum", add_sum_cases},
    {"softmax", add_softmax_cases},
    {"cross_entropy", add_cross_entropy_cases},
    {"metric", add_metric_cases},
    {"optimizer", add_optimizer_cases},
    {"programs", add_programs_cases},
};

}  // namespace

Suite all_cases() {
  Suite suite;
  for (const Family& family : kFamilies) {
    suite.begin_family(family.name);
    family.add(suite);
  }
  return suite;
}

}  // namespace loci::conformance
