// The static form of a model, and the scopes in which one is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/attribute.hpp>
#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <loci/op_call.hpp>
#include <loci/place.hpp>
#include <loci/shape.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci {
namespace program {
class ProgramImpl;
}

inline namespace v0 {

class Variable;

// A handle to a program: copies refer to the same one. Building is for one thread at a time; a
// program that is no longer changed may be run from several.
class LOCI_PUBLIC Program {
 public:
  Program();
  explicit Program(std::shared_ptr<program::ProgramImpl> impl);

  // A deep copy.
  [[nodiscard]] Program clone() const;
  // A deep copy for inference and tests: the attribute "is_test" of each operator that has one
  // (batch_norm, dropout) is true, and gradients, updates and the state that only they use are
  // gone.
  [[nodiscard]] Program clone_for_test() const;
  // A copy that keeps only what `fetches` need: no backward or update operators remain unless they
  // are asked for. `feeds` become its data variables. Throws Error(kInvalidArgument) if a fetch
  // needs a data variable that is not among the feeds.
  [[nodiscard]] Program prune(const std::vector<Variable>& feeds,
                              const std::vector<Variable>& fetches) const;
  // The variable of that name in the main block. Throws Error(kNotFound) with similar names.
  [[nodiscard]] Variable find(const std::string& name) const;
  // The program in text form, one operator a line.
  [[nodiscard]] std::string to_string() const;
  // Checks names, slots, dtypes, shapes and the single-assignment rule. Throws Error(kDataLoss).
  void verify() const;

  [[nodiscard]] const std::shared_ptr<program::ProgramImpl>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<program::ProgramImpl> impl_;
};

// A named value of a program. A handle, valid while any handle to the program lives.
class LOCI_PUBLIC Variable {
 public:
  // Undefined: stands for an absent optional input.
  Variable() = default;
  Variable(std::shared_ptr<program::ProgramImpl> program, std::int32_t id);

  [[nodiscard]] bool defined() const noexcept { return program_ != nullptr; }
  [[nodiscard]] const std::string& name() const;
  // Names the variable, for feeds, fetches and reports. Throws Error(kInvalidArgument) if the name
  // is empty or taken.
  void rename(const std::string& name) const;
  [[nodiscard]] DType dtype() const;
  // Extents that are not known before a run are kDynamicDim.
  [[nodiscard]] const Shape& shape() const;
  // Returns true if the variable lives in the scope across runs.
  [[nodiscard]] bool persistable() const;
  void set_persistable(bool persistable) const;
  // Returns true if gradients stop here.
  [[nodiscard]] bool stop_gradient() const;
  void set_stop_gradient(bool stop) const;

  [[nodiscard]] const std::shared_ptr<program::ProgramImpl>& program() const noexcept {
    return program_;
  }
  [[nodiscard]] std::int32_t id() const noexcept { return id_; }

 private:
  std::shared_ptr<program::ProgramImpl> program_;
  std::int32_t id_ = -1;
};

// Appends the operator to the program of its inputs, or to the current main program if it has
// none; returns its outputs in the schema's order. Throws Error(kInvalidArgument) for an unknown
// op, a slot or attribute that the schema lacks, and shapes or dtypes that do not fit.
LOCI_PUBLIC std::vector<Variable> emit_op(const OpCall<Variable>& call);

// The programs that functions without a program argument build into; one pair a thread.
LOCI_PUBLIC Program default_main_program();
LOCI_PUBLIC Program default_startup_program();

// Makes `main` and `startup` the current thread's default programs while it lives.
class LOCI_PUBLIC ProgramGuard {
 public:
  explicit ProgramGuard(Program main, Program startup = Program());
  ~ProgramGuard();
  ProgramGuard(const ProgramGuard&) = delete;
  ProgramGuard& operator=(const ProgramGuard&) = delete;
};

// Operators that the current thread adds while it lives run at `place`, and so do their gradients,
// and the updates and initialisers of parameters made meanwhile. Nests; the innermost holds.
class LOCI_PUBLIC DeviceGuard {
 public:
  explicit DeviceGuard(const Place& place);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
};

// Places the operators that `pattern` matches as if they had been built under DeviceGuard(place),
// in spite of any guard: those whose whole name, type or the name of an output it matches. The
// parameters and statistics that they use live there then, with their updates and initialisers.
// Gradients are operators of their own here. Returns how many it matches in both programs.
//
// `pattern` is a regular expression in RE2's syntax, which is Perl's without what needs
// backtracking (look-around, back references): time is linear in the length of the names, whatever
// they and the pattern are. It and the names are UTF-8. Throws Error(kInvalidArgument) if it is
// ill-formed, or too large once compiled.
LOCI_PUBLIC std::size_t guard_operators(const Program& main, const Program& startup,
                                        const std::string& pattern, const Place& place);

// How a parameter gets its first value: an op without inputs and its attributes.
struct Initializer {
  std::string op = "fill_constant";
  Attributes attributes;
};

namespace initializer {
LOCI_PUBLIC Initializer constant(double value);
// Uniform in [low, high).
LOCI_PUBLIC Initializer uniform(double low, double high);
LOCI_PUBLIC Initializer normal(double mean, double deviation);
// Uniform in [-b, b), b = sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010). Of a shape
// [n, k, window...] fan_in is k times the window and fan_out n times the window; of [in, out] they
// are its two extents.
LOCI_PUBLIC Initializer xavier(const Shape& shape);
}  // namespace initializer

// A variable that every run must be fed. `name` is unique in the program.
LOCI_PUBLIC Variable data(const std::string& name, const Shape& shape, DType dtype);

// A persistable variable that minimize() trains, made in the default main program, with its
// initialiser in the default startup program. An empty name becomes a unique one.
LOCI_PUBLIC Variable create_parameter(const Shape& shape, DType dtype, const Initializer& init,
                                      const std::string& name = {});

// Works like create_parameter() for a variable that is not trained: learning rates, statistics.
LOCI_PUBLIC Variable create_persistable(const Shape& shape, DType dtype, const Initializer& init,
                                        const std::string& name = {});

// Adds the operators that compute d(loss)/d(variable) for each of `targets`; `loss` has one
// element. Returns the gradients, undefined where the loss does not depend on the target.
LOCI_PUBLIC std::vector<Variable> gradients(const Variable& loss,
                                            const std::vector<Variable>& targets);

}  // namespace v0
}  // namespace loci
