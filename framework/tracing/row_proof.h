// A proof that a function may get inputs that are filled up with rows.
#pragma once

#include <loci/tensor.hpp>
#include <loci/trace.hpp>
#include <string>
#include <vector>

namespace loci::tracing {

// Empty if each row of each result is proven to hang on the same row of the inputs alone, whatever
// is done with them; else why it is not. `filled` have the form of the inputs with all rows, and
// are not read: the function is traced with that form, and with one of another number of rows, so
// that what it makes of that number itself is seen.
[[nodiscard]] std::string row_objection(const TensorFunction& fn,
                                        const std::vector<Tensor>& filled);

}  // namespace loci::tracing
