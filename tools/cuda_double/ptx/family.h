// The families of instructions.
#pragma once

#include <string_view>

#include "tools/cuda_double/ptx/form.h"

namespace loci::cuda_double {

class Translator;

// Translates an instruction of its family. Throws UnsupportedError for a form that is not there,
// and PtxError for operands that the form cannot have.
using FamilyFunction = void (*)(Translator& translator, Form form);

// Finds the family of an opcode's first word. NULL: this interpreter has none of that name.
[[nodiscard]] FamilyFunction find_family(std::string_view name);
// Returns true if PTX has instructions of that name, which find_family() does not know.
[[nodiscard]] bool is_known_elsewhere(std::string_view name);

void translate_add(Translator& translator, Form form);         // add, sub
void translate_multiply(Translator& translator, Form form);    // mul, mad, fma
void translate_wide_carry(Translator& translator, Form form);  // addc, subc, madc
void translate_divide(Translator& translator, Form form);      // div, rem
void translate_extreme(Translator& translator, Form form);     // min, max
void translate_sign(Translator& translator, Form form);        // abs, neg, copysign, testp
void translate_integer(Translator& translator, Form form);     // sad, mul24, mad24, dp4a, dp2a
void translate_bits(Translator& translator, Form form);     // popc, clz, bfind, brev, bfe, bfi, ...
void translate_logic(Translator& translator, Form form);    // and, or, xor, not, cnot, lop3
void translate_shift(Translator& translator, Form form);    // shl, shr, shf
void translate_compare(Translator& translator, Form form);  // setp, set
void translate_choice(Translator& translator, Form form);   // selp, slct
void translate_convert(Translator& translator, Form form);  // cvt, cvt.pack
void translate_function(Translator& translator, Form form);    // rcp, sqrt, rsqrt, sin, ex2, ...
void translate_move(Translator& translator, Form form);        // mov
void translate_address(Translator& translator, Form form);     // cvta, isspacep
void translate_load(Translator& translator, Form form);        // ld, ldu
void translate_store(Translator& translator, Form form);       // st
void translate_atomic(Translator& translator, Form form);      // atom, red
void translate_fence(Translator& translator, Form form);       // membar, fence
void translate_async_copy(Translator& translator, Form form);  // cp.async
void translate_prefetch(Translator& translator, Form form);    // prefetch and other hints
void translate_grid_dependency(Translator& translator, Form form);  // griddepcontrol
void translate_branch(Translator& translator, Form form);           // bra, brx
void translate_call(Translator& translator, Form form);
void translate_end(Translator& translator, Form form);         // ret, exit, trap, brkpt, nanosleep
void translate_barrier(Translator& translator, Form form);     // bar, barrier
void translate_collective(Translator& translator, Form form);  // shfl, vote, match, redux, ...
void translate_matrix(Translator& translator, Form form);      // mma, ldmatrix

}  // namespace loci::cuda_double
