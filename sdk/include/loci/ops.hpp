// A function for each op, and functions of several. V is Variable when a program is built.
//
// Broadcasting is NumPy's: shapes are aligned at their last dimension, and an extent of 1 repeats.
// Every function throws Error(kInvalidArgument) when dtypes or shapes do not fit; the message names
// the op, the variables and their shapes. Floating dtypes are float16, bfloat16, float32 and
// float64; the 16-bit ones are computed in float32 and rounded once.
#pragma once

#include <loci/ops/activation.hpp>
#include <loci/ops/attention.hpp>
#include <loci/ops/comparison.hpp>
#include <loci/ops/composed.hpp>
#include <loci/ops/creation.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/ops/indexing.hpp>
#include <loci/ops/loss.hpp>
#include <loci/ops/normalization.hpp>
#include <loci/ops/padding.hpp>
#include <loci/ops/parts.hpp>
#include <loci/ops/product.hpp>
#include <loci/ops/reduction.hpp>
#include <loci/ops/resampling.hpp>
#include <loci/ops/shape.hpp>
#include <loci/ops/sorting.hpp>
#include <loci/ops/unary_math.hpp>
#include <loci/ops/update.hpp>
#include <loci/ops/window.hpp>
