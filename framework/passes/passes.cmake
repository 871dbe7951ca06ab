# The passes, in the order in which they run: a file of each, and its test.
set(LOCI_PASSES
  constant_folding
  known_branches
  no_op_elimination
  common_subexpression_elimination
  dead_code_elimination
  op_recognition
  epilogue_fusion
  elementwise_fusion)
