// The table of ops that are a function of each element by itself, without attributes: one row each,
// of which the ops that fused_elementwise takes, the activations that fused operators end with, and
// the kernels of backends are generated.
//
// A row is ROW(op, Function): the op's name, and the name of the function in the language of types,
// which a backend may give a type of its own that computes it. To add a function, add its row here,
// its type to each backend, its schema to the core, and a conformance case.
#pragma once

// Functions of floating numbers that fused operators may end with.
#define LOCI_FLOAT_ACTIVATIONS(ROW) \
  ROW(sigmoid, Sigmoid)             \
  ROW(tanh, Tanh)                   \
  ROW(hard_sigmoid, HardSigmoid)    \
  ROW(hard_swish, HardSwish)        \
  ROW(mish, Mish)                   \
  ROW(silu, Silu)                   \
  ROW(softplus, Softplus)

// All functions of floating numbers alone.
#define LOCI_FLOAT_FUNCTIONS(ROW) \
  ROW(acos, Acos)                 \
  ROW(acosh, Acosh)               \
  ROW(asin, Asin)                 \
  ROW(asinh, Asinh)               \
  ROW(atan, Atan)                 \
  ROW(atanh, Atanh)               \
  ROW(ceil, Ceil)                 \
  ROW(cos, Cos)                   \
  ROW(cosh, Cosh)                 \
  ROW(erf, Erf)                   \
  ROW(exp, Exp)                   \
  ROW(exp2, Exp2)                 \
  ROW(expm1, Expm1)               \
  ROW(floor, Floor)               \
  ROW(log, Log)                   \
  ROW(log1p, Log1p)               \
  ROW(log2, Log2)                 \
  ROW(reciprocal, Reciprocal)     \
  ROW(round, Round)               \
  ROW(rsqrt, Rsqrt)               \
  ROW(sin, Sin)                   \
  ROW(sinh, Sinh)                 \
  ROW(softsign, Softsign)         \
  ROW(sqrt, Sqrt)                 \
  ROW(tan, Tan)                   \
  ROW(trunc, Trunc)               \
  LOCI_FLOAT_ACTIVATIONS(ROW)

// Functions that integers have too.
#define LOCI_NUMBER_FUNCTIONS(ROW) \
  ROW(abs, Abs)                    \
  ROW(relu, Relu)                  \
  ROW(sign, Sign)                  \
  ROW(square, Square)

// The attribute "activation" of a fused operator says one of these, or "none". gelu_tanh is the op
// gelu with its approximation.
#define LOCI_ACTIVATIONS(ROW) \
  ROW(relu, Relu)             \
  ROW(gelu, Gelu)             \
  ROW(gelu_tanh, GeluTanh)    \
  LOCI_FLOAT_ACTIVATIONS(ROW)
