// Variables and registers as they are declared.
#pragma once

#include <vector>

#include "tools/cuda_double/ptx/syntax.h"
#include "tools/cuda_double/ptx/token_stream.h"

namespace loci::cuda_double {

// Returns true if a directive such as ".global" begins a declaration.
[[nodiscard]] bool begins_declaration(const Token& token);

// ".shared .align 4 .b8 name[16]" and more names after commas, without what ends it.
[[nodiscard]] std::vector<VariableSyntax> parse_declaration(TokenStream& tokens);
// "(.param .u64 a, .param .u32 b)".
[[nodiscard]] std::vector<VariableSyntax> parse_parameters(TokenStream& tokens);

}  // namespace loci::cuda_double
