// Describes the ops that programs consist of, for those who write kernels of them.
#pragma once

#include <cstdint>
#include <loci/attribute.hpp>
#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace inspect {

// Texts that are one of a few keep their spelling: they are for programs too.

struct OpInput {
  std::string name;
  std::vector<DType> dtypes;  // that it takes
  std::string arity;          // required, optional, variadic
  // device: at the op's place; host: its value is read on the host; metadata: only its dtype and
  // shape are read, and it is never copied; either.
  std::string residence;
  bool gives_extents = false;  // extents of outputs come from its values
  bool decides = false;        // its value says which operators run at all
};

struct OpOutput {
  std::string name;
  std::string arity;      // as of inputs
  std::string residence;  // device; host: it is written there, and complete when the launch returns
  // Which dtype it has. "as x": that of input x, of the first if those are several; "as x, float32
  // at least": float32 where that has 16 bits; "attribute dtype": what that says; "uint8": always.
  // Empty: what inference says; so with control flow, and mostly with plugins.
  std::string dtype;
  // How its extents come about. inferred: from shapes and attributes; host_values: from values of
  // inputs on the host; bounded: by the kernel, which writes that of dimension 0 to `count`.
  std::string extent;
  std::string updates;  // the input whose memory it is; empty: a new value
  std::string count;    // of a bounded one: the output, int64[1], for its true extent
};

struct OpAttribute {
  std::string name;
  std::string kind;  // bool, int64, float64, string, dtype, int64s, float64s, strings
  // Its default; empty: it has to be given.
  std::optional<Attribute> default_value;
  // The limits of a number, or of those of a list: both are allowed themselves. Empty: no limit.
  std::optional<Attribute> minimum;
  std::optional<Attribute> maximum;
  std::vector<std::string> choices;  // of a text, or of those of a list; none: any
  std::string meaning;               // in one line; empty where a plugin says none
};

struct Op {
  std::string name;
  std::string plugin;  // the id of the one that brings it; empty: it is Loci's own
  std::int64_t version = 1;
  std::string meaning;  // in one line; empty where a plugin says none
  // How far floating results may be from the exact ones, as `loci verify` checks it. "exact": they
  // are those, rounded once to the output's dtype. Else a bound: "8 roundoffs of |out|", "n + 1
  // roundoffs of sum |x * y|, n products". A roundoff is that of the dtype computed in: 2^-24 for
  // 16 bits and float32, 2^-53 for float64; the rounding to the output's dtype is allowed on top.
  // Bounds are to first order, for any order of evaluation (Higham, Accuracy and Stability of
  // Numerical Algorithms, 3.1). Integers are exact everywhere. Empty: not said; so with control
  // flow and plugins.
  std::string accuracy;
  std::vector<OpInput> inputs;
  std::vector<OpOutput> outputs;
  std::vector<OpAttribute> attributes;
  bool is_random = false;        // draws from the random state, its input "state"
  bool is_control_flow = false;  // runs other operators; the core does that itself
  // Says its FLOPs and bytes; else they count as one for each element of the outputs, and all bytes
  // of the arguments.
  bool states_cost = false;
  bool is_decomposable = false;  // a device without a kernel of it may run other ops instead
  bool is_differentiable = false;
  // Ops that its gradient may consist of, sorted. Empty for a plugin's, which does not tell them.
  std::vector<std::string> gradient_ops;
  std::string not_capturable;  // why it cannot be recorded into a device graph; empty: it can
};

// All, sorted by name. Loads every plugin that brings ops.
LOCI_PUBLIC std::vector<Op> ops();
// Throws Error(kInvalidArgument), with similar names, if there is none. Loads plugins only for a
// name with a dot.
LOCI_PUBLIC Op op(const std::string& name);

}  // namespace inspect
}  // namespace v0
}  // namespace loci
