// Parses what stands between the braces of a function.
#pragma once

#include <vector>

#include "tools/cuda_double/ptx/syntax.h"
#include "tools/cuda_double/ptx/token_stream.h"

namespace loci::cuda_double {

// From behind the opening brace, to behind the closing one.
[[nodiscard]] std::vector<Statement> parse_body(TokenStream& tokens);

// ".loc file line column, function_name label, inlined_at file line column".
[[nodiscard]] LocationSyntax parse_location(TokenStream& tokens);

}  // namespace loci::cuda_double
