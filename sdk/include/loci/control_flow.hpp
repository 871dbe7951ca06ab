// Control flow: branches and loops of programs, and of tensors.
//
// On tensors the predicate is read and the function of the branch is called; within a trace the
// tensors become a program's values. On symbolic values:
//
// A branch is a function that builds operators and returns one value or a list of values. It uses
// values from outside as if it were written there; what it makes is seen outside only if it is
// returned. Which branch runs is read on the host: a predicate that lives there is not copied, and
// one on a device is read once; in a program that is captured the device may decide by itself
// (GraphCapture). Branches may differ in dtype and shape: extents in which they
// differ are kDynamicDim, and a value of different dtypes or ranks has neither before the run (its
// dtype() is kNone); it can be fetched, selected and returned from a branch, but not computed with.
//
// Gradients flow through all of these. They compute again what they need of a branch, so that
// nothing of a branch is kept meanwhile.
//
// Random numbers. Each call of cond(), case_of(), switch_case(), conditional_block(), while_loop()
// and scan() takes one number k of the random operators around it, as if it were one of them,
// whether anything is drawn in it or not. What its functions draw comes from a random state of
// their own, {seed', 0}, and their random operators count from 0. seed' is what a random operator
// with offset k would draw: the first 64 bits of its block i (loci/plugin/philox.hpp), i being the
// iteration, from 0, of a loop or a scan, and 0 in a branch. Iteration i of a while_loop() is its
// condition and then its body; in a scan with `reverse`, iteration 0 is the last slice. These nest:
// inside, that state is the one around.
//
// So each iteration draws other numbers; what is drawn behind does not depend on which branch ran,
// or how often a loop did; tensors, programs and traces draw the same, at every place; and a
// gradient, which computes a branch or an iteration again, draws again what was drawn before.
//
// Every function throws Error(kInvalidArgument) for a predicate that is not one element of bool,
// branches that return different numbers of values, and a value that belongs to a branch that is
// complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <loci/export.hpp>
#include <loci/program.hpp>
#include <loci/tensor.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace loci {
inline namespace v0 {

// A function that returns a list of values of type V.
template <class V>
using ListBranch = std::function<std::vector<V>()>;

// A function that returns one value of type V. Not defined by default, where one may be left out.
template <class V>
class Branch {
 public:
  Branch() = default;
  template <class F, std::enable_if_t<std::is_same_v<std::invoke_result_t<F&>, V>, int> = 0>
  Branch(F function)  // NOLINT(google-explicit-constructor): {{predicate, [&] { ... }}, ...}
      : list_([function]() mutable { return std::vector<V>{function()}; }) {}
  [[nodiscard]] const ListBranch<V>& list() const noexcept { return list_; }

 private:
  ListBranch<V> list_;
};

struct WhileOptions {
  // More iterations than these are an error that names the loop. 0: no limit.
  std::int64_t max_iterations = 0;
};

// The values that a step of a scan gives, and those that the scan gives in the end.
template <class V>
struct ScanResult {
  std::vector<V> carry;  // of a step: the next values
  std::vector<V> ys;     // of a step: a slice of each stacked output; of the scan: all, stacked
};

struct ScanOptions {
  // Steps. -1: as many as xs have slices; to be given where there are no xs.
  std::int64_t length = -1;
  // From the last slice to the first.
  bool reverse = false;
};

// cond(), case_of() and switch_case() come down to these calls, for variables and for tensors.
//
// Runs the branch of the first predicate that is true, or the last one, which has no predicate.
LOCI_PUBLIC std::vector<Variable> emit_case(const std::vector<Variable>& predicates,
                                            const std::vector<ListBranch<Variable>>& branches);
// Runs the branch whose key `index` is, or the last one, which has no key.
LOCI_PUBLIC std::vector<Variable> emit_switch_case(
    const Variable& index, const std::vector<std::int64_t>& keys,
    const std::vector<ListBranch<Variable>>& branches);
LOCI_PUBLIC std::vector<Tensor> emit_case(const std::vector<Tensor>& predicates,
                                          const std::vector<ListBranch<Tensor>>& branches);
LOCI_PUBLIC std::vector<Tensor> emit_switch_case(const Tensor& index,
                                                 const std::vector<std::int64_t>& keys,
                                                 const std::vector<ListBranch<Tensor>>& branches);

// true_branch() or false_branch(), which both return a value, or both a list.
template <class V, class T, class F>
std::invoke_result_t<const T&> cond(const V& predicate, const T& true_branch,
                                    const F& false_branch) {
  using Result = std::invoke_result_t<const T&>;
  static_assert(std::is_same_v<Result, std::invoke_result_t<const F&>>,
                "both branches return one value, or both a list");
  if constexpr (std::is_same_v<Result, V>) {
    return emit_case(std::vector<V>{predicate},
                     {Branch<V>(true_branch).list(), Branch<V>(false_branch).list()})
        .front();
  } else {
    return emit_case(std::vector<V>{predicate},
                     {ListBranch<V>(true_branch), ListBranch<V>(false_branch)});
  }
}

// The branch of the first predicate that is true; if none is, `default_branch`, or the last branch
// where that is left out.
LOCI_PUBLIC Variable case_of(const std::vector<std::pair<Variable, Branch<Variable>>>& branches,
                             const Branch<Variable>& default_branch = {});
LOCI_PUBLIC Tensor case_of(const std::vector<std::pair<Tensor, Branch<Tensor>>>& branches,
                           const Branch<Tensor>& default_branch = {});
LOCI_PUBLIC std::vector<Variable> case_lists_of(
    const std::vector<std::pair<Variable, ListBranch<Variable>>>& branches,
    const ListBranch<Variable>& default_branch = {});

// The branch whose key is `index`, one element of an integer dtype; if none is, `default_branch`,
// or the last branch where that is left out. No key may occur twice.
LOCI_PUBLIC Variable switch_case(
    const Variable& index, const std::vector<std::pair<std::int64_t, Branch<Variable>>>& branches,
    const Branch<Variable>& default_branch = {});
LOCI_PUBLIC Tensor switch_case(const Tensor& index,
                               const std::vector<std::pair<std::int64_t, Branch<Tensor>>>& branches,
                               const Branch<Tensor>& default_branch = {});

// Runs `body` while `condition` gives true. Both get the values; `body` returns the next ones, of
// the same dtypes and ranks. Returns the last ones. A predicate that is computed on a device is
// read by the host in each iteration: under a DeviceGuard("cpu") it, and what it is computed from,
// stay there.
//
// A value may grow, or shrink: an extent that `body` changes is kDynamicDim in the loop and behind
// it. In a program each iteration that changes a shape has plans of its own, which are kept for
// later runs, so that there may be 2048 of those at most, and 256 where gradients are computed.
// That goes by shapes alone: an extent that hangs on values, as that of nonzero(), is none that
// grows, and a run in which `body` gives another one than the value had at first is refused.
//
// Its gradient runs the loop anew. It keeps the values of at most about 4 sqrt(n) of n iterations
// at once, or of 64, and computes the others again from those; it has no gradient itself.
LOCI_PUBLIC std::vector<Variable> while_loop(
    const std::function<Variable(const std::vector<Variable>&)>& condition,
    const std::function<std::vector<Variable>(const std::vector<Variable>&)>& body,
    const std::vector<Variable>& values, const WhileOptions& options = {});
LOCI_PUBLIC std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& values, const WhileOptions& options = {});

// Runs `body` for each slice of xs along dimension 0, which have as many: with the carried values
// and a slice of each, [d...] of an x [n, d...]. It returns the next values, of the same dtypes and
// shapes, and a slice of each stacked output, of any. Returns the last values, and the outputs
// stacked, [n, d...], where step t gave slice t; with `reverse`, steps go from n - 1 to 0.
// Without any step the values are returned as they are, and empty outputs; on tensors, `body` is
// then traced for what these are, and must be one that trace() takes.
//
// The host decides nothing meanwhile. Slices are read, and written, where they lie: a step copies
// at most its own slices of xs and ys, so that n steps cost n times what one does. In a program,
// the extents of ys must be known when the scan begins. On tensors, xs of which gradients are
// recorded are taken apart at once, and may have 65536 slices.
//
// Its gradient is another scan, from the other end; before that, as it needs them, the steps run
// anew, and keep the carried values of all n. So it has gradients of any order. A body that changes
// state in place has none.
//
// Throws Error(kInvalidArgument) where xs differ in the number of their slices, or from `length`,
// and where `body` changes the number, a dtype or a shape of the carried values.
LOCI_PUBLIC ScanResult<Variable> scan(
    const std::function<ScanResult<Variable>(const std::vector<Variable>& carry,
                                             const std::vector<Variable>& xs)>& body,
    const std::vector<Variable>& carry, const std::vector<Variable>& xs,
    const ScanOptions& options = {});
LOCI_PUBLIC ScanResult<Tensor> scan(
    const std::function<ScanResult<Tensor>(const std::vector<Tensor>& carry,
                                           const std::vector<Tensor>& xs)>& body,
    const std::vector<Tensor>& carry, const std::vector<Tensor>& xs,
    const ScanOptions& options = {});

// Parts of which a choice can be made by hand. The block runs if `predicate` is true; if it is
// false, what it returns is not computed, and only select_input() may meet it.
LOCI_PUBLIC std::vector<Variable> conditional_block(const Variable& predicate,
                                                    const ListBranch<Variable>& block);
// inputs[mask], of which the others need not have been computed. `mask` is one element of bool or
// of an integer dtype; a run in which it is out of range fails.
LOCI_PUBLIC Variable select_input(const Variable& mask, const std::vector<Variable>& inputs);
LOCI_PUBLIC Tensor select_input(const Tensor& mask, const std::vector<Tensor>& inputs);

}  // namespace v0
}  // namespace loci
