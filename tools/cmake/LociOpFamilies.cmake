# The families of ops. <family> is the stem of framework/ops/<family>.cc (schemas, inference,
# gradients), plugins/kernels/<family>.cc (portable kernels), tools/conformance/cases/<family>.cc and
# tests/framework/ops/<family>_test.cc, which the build takes from this list, and calls
# register_<family>_ops, add_<family> and add_<family>_cases there. `tools/lint/run families` holds
# that against the files.
set(LOCI_OP_FAMILIES
  activation
  attention
  batch_norm
  bilinear_interp
  cast
  compare
  concat
  control_flow
  conv2d
  conv2d_transpose
  creation
  cross_entropy
  cumulative
  dropout
  elementwise_binary
  elementwise_unary
  embedding
  expand
  fused_conv2d
  fused_elementwise
  fused_matmul
  gather
  gather_elements
  gather_nd
  l2_normalize
  layer_norm
  matmul
  metric
  nonzero
  optimizer
  pad
  pool2d
  random
  reduce
  reduce_fold
  reshape
  shape
  slice
  softmax
  sum
  topk
  transpose
  unary_math)
# The core runs blocks, makes views and decomposes conv2d_transpose itself; what passes fuse is a
# matter of the plugin that can.
set(LOCI_OP_FAMILIES_WITHOUT_KERNELS control_flow conv2d_transpose fused_conv2d fused_matmul reshape)
# A case is one op with tensors for its inputs, and has no blocks.
set(LOCI_OP_FAMILIES_WITHOUT_CASES control_flow)

set(LOCI_KERNEL_FAMILIES ${LOCI_OP_FAMILIES})
list(REMOVE_ITEM LOCI_KERNEL_FAMILIES ${LOCI_OP_FAMILIES_WITHOUT_KERNELS})
set(LOCI_CASE_FAMILIES ${LOCI_OP_FAMILIES})
list(REMOVE_ITEM LOCI_CASE_FAMILIES ${LOCI_OP_FAMILIES_WITHOUT_CASES})

# loci_list_families(<file> <family>...): writes <file> into the build folder from <file>.in, in which
# each line that names @family@ stands for one line a family.
function(loci_list_families file)
  set(template "${CMAKE_CURRENT_SOURCE_DIR}/${file}.in")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${template}")
  file(READ "${template}" text)
  while(text MATCHES "[^\n]*@family@[^\n]*\n")
    set(line "${CMAKE_MATCH_0}")
    set(lines "")
    foreach(family IN LISTS ARGN)
      string(REPLACE "@family@" "${family}" line_of_family "${line}")
      string(APPEND lines "${line_of_family}")
    endforeach()
    string(REPLACE "${line}" "${lines}" text "${text}")
  endwhile()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${file}" CONTENT "${text}" @ONLY)
endfunction()
