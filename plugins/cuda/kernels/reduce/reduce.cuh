// Reductions, whatever elements are folded with.
//
// A Fold has
//   Input, State, Result, Extra   what is read, what elements become part of, what is written, and
//                                 the type of a parameter of its own
//   const Input* x
//   static State neutral()
//   State term(Input, Place)
//   static State apply(State, State)
//   void write(output, State)
// and, if an element of x alone does not make a term, what HasRows says.
// NAME_rows and NAME_columns fold parts as a ReduceLayout says; if there is more than one of an
// output, they leave them in `partial`, and NAME_parts folds those.
#pragma once

#include "kernels/reduce/reduce_columns.cuh"
#include "kernels/reduce/reduce_rows.cuh"

// The three kernels of a Fold, an aggregate of x, out and its extra parameter.
#define LOCI_REDUCE_PART(name, part, Fold)                                               \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                            \
      name##_##part(const Fold::Input* x, Fold::Result* out, Fold::Extra extra,          \
                    Fold::State* partial, const __grid_constant__ ReduceLayout layout) { \
    fold_##part(Fold{x, out, extra}, partial, layout);                                   \
  }
#define LOCI_REDUCE(name, Fold)         \
  LOCI_REDUCE_PART(name, rows, Fold)    \
  LOCI_REDUCE_PART(name, columns, Fold) \
  LOCI_REDUCE_PART(name, parts, Fold)
#define LOCI_REDUCE_FLOATS(name, Fold)  \
  LOCI_REDUCE(name##_f32, Fold<float>)  \
  LOCI_REDUCE(name##_f64, Fold<double>) \
  LOCI_REDUCE(name##_f16, Fold<__half>) \
  LOCI_REDUCE(name##_bf16, Fold<__nv_bfloat16>)
// Where the sign of integers makes no difference.
#define LOCI_REDUCE_BITS(name, Fold)           \
  LOCI_REDUCE_FLOATS(name, Fold)               \
  LOCI_REDUCE(name##_u8, Fold<std::uint8_t>)   \
  LOCI_REDUCE(name##_u16, Fold<std::uint16_t>) \
  LOCI_REDUCE(name##_u32, Fold<std::uint32_t>) \
  LOCI_REDUCE(name##_u64, Fold<std::uint64_t>)
#define LOCI_REDUCE_NUMBERS(name, Fold)       \
  LOCI_REDUCE_BITS(name, Fold)                \
  LOCI_REDUCE(name##_i8, Fold<std::int8_t>)   \
  LOCI_REDUCE(name##_i16, Fold<std::int16_t>) \
  LOCI_REDUCE(name##_i32, Fold<std::int32_t>) \
  LOCI_REDUCE(name##_i64, Fold<std::int64_t>)
