// A parameter whose elements lie in memory of a plugin's.
#pragma once

#include <loci/abi/builder.h>

#include <loci/tensor.hpp>

#include "framework/program/program_impl.h"

namespace loci::program {

struct BorrowedParameter {
  VarDesc desc;   // persistable
  Tensor tensor;  // over that memory, which is released when nothing refers to it any more
};

// Takes the memory over, even if it throws. Throws Error(kInvalidArgument) "[builder] ..." for a
// type with unknown extents, and for other bytes than it needs.
BorrowedParameter borrow_parameter(const loci_parameter& parameter);

}  // namespace loci::program
