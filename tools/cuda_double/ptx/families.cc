#include <algorithm>
#include <array>
#include <map>

#include "tools/cuda_double/ptx/family.h"

namespace loci::cuda_double {
namespace {

using Families = std::map<std::string_view, FamilyFunction>;

void add_arithmetic(Families& families) {
  for (const char* name : {"add", "sub"}) families[name] = translate_add;
  for (const char* name : {"mul", "mad", "fma"}) families[name] = translate_multiply;
  for (const char* name : {"addc", "subc", "madc"}) families[name] = translate_wide_carry;
  for (const char* name : {"div", "rem"}) families[name] = translate_divide;
  for (const char* name : {"min", "max"}) families[name] = translate_extreme;
  for (const char* name : {"abs", "neg", "copysign", "testp"}) families[name] = translate_sign;
  for (const char* name : {"sad", "mul24", "mad24", "dp4a", "dp2a"}) {
    families[name] = translate_integer;
  }
  for (const char* name : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"}) {
    families[name] = translate_function;
  }
}

void add_bits(Families& families) {
  for (const char* name :
       {"popc", "clz", "bfind", "brev", "bfe", "bfi", "bmsk", "szext", "fns", "prmt"}) {
    families[name] = translate_bits;
  }
  for (const char* name : {"and", "or", "xor", "not", "cnot", "lop3"}) {
    families[name] = translate_logic;
  }
  for (const char* name : {"shl", "shr", "shf"}) families[name] = translate_shift;
  for (const char* name : {"setp", "set"}) families[name] = translate_compare;
  for (const char* name : {"selp", "slct"}) families[name] = translate_choice;
  families["cvt"] = translate_convert;
  families["mov"] = translate_move;
}

void add_memory(Families& families) {
  for (const char* name : {"cvta", "isspacep"}) families[name] = translate_address;
  for (const char* name : {"ld", "ldu"}) families[name] = translate_load;
  families["st"] = translate_store;
  for (const char* name : {"atom", "red"}) families[name] = translate_atomic;
  for (const char* name : {"membar", "fence"}) families[name] = translate_fence;
  families["cp"] = translate_async_copy;
  for (const char* name :
       {"prefetch", "prefetchu", "applypriority", "createpolicy", "setmaxnreg", "pmevent"}) {
    families[name] = translate_prefetch;
  }
  families["griddepcontrol"] = translate_grid_dependency;
}

void add_control(Families& families) {
  for (const char* name : {"bra", "brx"}) families[name] = translate_branch;
  families["call"] = translate_call;
  for (const char* name : {"ret", "exit", "trap", "brkpt", "nanosleep"}) {
    families[name] = translate_end;
  }
  for (const char* name : {"bar", "barrier"}) families[name] = translate_barrier;
  for (const char* name : {"shfl", "vote", "match", "redux", "elect", "activemask"}) {
    families[name] = translate_collective;
  }
  for (const char* name : {"mma", "ldmatrix"}) families[name] = translate_matrix;
}

Families make_families() {
  Families families;
  add_arithmetic(families);
  add_bits(families);
  add_memory(families);
  add_control(families);
  return families;
}

// Textures, tensor cores, bulk copies, clusters and video, as of ISA 9.0.
constexpr std::array<std::string_view, 40> kElsewhere = {"alloca",       "clusterlaunchcontrol",
                                                         "discard",      "getctarank",
                                                         "istypep",      "mapa",
                                                         "mbarrier",     "movmatrix",
                                                         "multimem",     "stacksave",
                                                         "stackrestore", "stmatrix",
                                                         "sured",        "suld",
                                                         "suq",          "sust",
                                                         "tcgen05",      "tensormap",
                                                         "tex",          "tld4",
                                                         "txq",          "vabsdiff",
                                                         "vabsdiff2",    "vabsdiff4",
                                                         "vadd",         "vadd2",
                                                         "vadd4",        "vavrg2",
                                                         "vavrg4",       "vmad",
                                                         "vmax",         "vmax2",
                                                         "vmin",         "vset",
                                                         "vshl",         "vshr",
                                                         "vsub",         "wgmma",
                                                         "wmma",         "st_bulk"};

}  // namespace

FamilyFunction find_family(std::string_view name) {
  static const Families kFamilies = make_families();
  const auto found = kFamilies.find(name);
  return found == kFamilies.end() ? nullptr : found->second;
}

bool is_known_elsewhere(std::string_view name) {
  return std::find(kElsewhere.begin(), kElsewhere.end(), name) != kElsewhere.end();
}

}  // namespace loci::cuda_double
