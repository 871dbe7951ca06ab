// The base of all modules.
#pragma once

#include <loci/export.hpp>
#include <loci/io.hpp>
#include <loci/op_call.hpp>
#include <loci/place.hpp>
#include <loci/state_dict.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace loci {
inline namespace v0 {
namespace nn {

using StateDict = loci::StateDict;

// A function with parameters. A module of one's own derives from it, holds tensors and modules as
// members, and registers them in its constructor:
//
//   class Net : public nn::Module {
//    public:
//     Net() {
//       register_child("first", first_);
//       register_child("last", last_);
//     }
//     Tensor forward(const Tensor& x) override { return last_(relu(first_(x))); }
//
//    private:
//     nn::Linear first_{64, 32};
//     nn::Linear last_{32, 10};
//   };
//
// Members are registered by their address, so that a module is neither copied nor moved. For one
// thread at a time.
class LOCI_PUBLIC Module {
 public:
  virtual ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Computes the module's result. The base throws Error(kUnsupported): a module may take something
  // else than one tensor, in a function of its own.
  virtual Tensor forward(const Tensor& x);
  LOCI_OP_ALIAS Tensor operator()(const Tensor& x) { return forward(x); }

  // The name of the class: "Linear".
  [[nodiscard]] virtual std::string type() const;
  // The text in parentheses after the type: "in_features=10, out_features=1, bias=True".
  [[nodiscard]] virtual std::string arguments() const;
  // Both, with the children in lines of their own.
  [[nodiscard]] std::string to_string() const;

  // Those of the module and then of its children, in the order of registration. A tensor that is
  // registered in several places occurs once.
  [[nodiscard]] std::vector<Tensor> parameters() const;
  [[nodiscard]] StateDict named_parameters() const;
  [[nodiscard]] StateDict named_buffers() const;
  // The module's own.
  [[nodiscard]] std::vector<std::pair<std::string, Module*>> named_children() const;

  // Set this in the module and in all below: what dropout and normalisation do in training, which
  // they do at first, and otherwise.
  void train(bool is_training = true);
  void eval() { train(false); }
  [[nodiscard]] bool is_training() const noexcept { return is_training_; }
  // Puts tensors that are elsewhere, copied, in the place of those of the module and of all below.
  // They have no gradient, and optimizers do not know them: move first, then train. Throws
  // Error(kUnavailable, kOutOfMemory); nothing is changed then.
  void to(const Place& place);
  // Clears the gradients of all parameters.
  void zero_grad();
  // Sets for all parameters if gradients are recorded for them.
  void set_requires_grad(bool required = true);

  // Parameters and buffers: of each module its parameters, its buffers, and its children's. The
  // tensors share the storage of the module's, so that they change with it; clone() keeps a state.
  [[nodiscard]] StateDict state_dict() const;
  // Copies the tensors of a state into those of the module, wherever these are. Throws
  // Error(kInvalidArgument) that names each key that is missing or unexpected and each tensor of
  // another dtype or shape, and changes nothing then; unless it is not `strict`: then it loads
  // those that fit. Returns which are which.
  io::LoadReport load_state_dict(const StateDict& state, bool strict = true);

 protected:
  Module() = default;

  // All throw Error(kInvalidArgument) for a name that is empty, has a dot, or is taken. Tensors get
  // the dotted name as far as it is known, for messages.
  //
  // A member. An undefined tensor, such as a bias that is not wanted, is left out. Throws
  // Error(kInvalidArgument) for a parameter that is the result of recorded ops or is not floating;
  // it requires a gradient from then on.
  void register_parameter(const std::string& name, Tensor& parameter);
  void register_buffer(const std::string& name, Tensor& buffer);
  // A member, or a module that is kept.
  void register_child(const std::string& name, Module& child);
  void register_child(const std::string& name, std::shared_ptr<Module> child);

 private:
  struct Slot {
    std::string name;
    Tensor* tensor;
  };
  struct Child {
    std::string name;
    Module* module;
    std::shared_ptr<Module> owner;  // null for a member
  };
  struct NamedSlot {
    std::string name;  // dotted
    Tensor* tensor;
  };
  using Slots = std::vector<Slot> Module::*;

  void check_name(const std::string& name) const;
  void check_child(const std::string& name, const Module& child) const;
  void add_child(Child child);
  void name_tensors(const std::string& prefix);
  void collect(Slots kind, const std::string& prefix, std::vector<NamedSlot>* found) const;
  void collect_state(const std::string& prefix, std::vector<NamedSlot>* found) const;
  [[nodiscard]] std::vector<NamedSlot> state_slots() const;

  std::vector<Slot> parameters_;
  std::vector<Slot> buffers_;
  std::vector<Child> children_;
  bool is_training_ = true;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
