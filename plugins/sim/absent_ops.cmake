# Ops that the software accelerator leaves out on purpose, so that programs which use them fall back
# to the CPU. The plugin and its conformance tests read this list.
set(LOCI_SIM_ABSENT_OPS
  nonzero               # a result whose size depends on data
  accuracy              # at the end of most programs
  argmax                # in their middle
  bilinear_interp       # with a gradient of its own
  bilinear_interp_grad)
