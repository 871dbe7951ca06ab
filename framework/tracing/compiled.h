// A function as programs, by the form of its inputs.
#pragma once

#include <cstdint>
#include <loci/trace.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/recent_map.h"
#include "framework/eager/node.h"
#include "framework/tracing/outside_leaf.h"

namespace loci::tracing {

class Tracer;

// Returns how much the forms of a compiled function may take: LOCI_FORM_CACHE, or what is usual.
[[nodiscard]] std::uint64_t most_form_bytes();

// Keeps the forms that were used last, up to that, with their programs, plans, kernels and the
// memory of their runs; four of any size. What is called again after that is traced anew.
// Thread-safe.
class CompiledImpl {
 public:
  // Throws Error(kInvalidArgument) for buckets that do not ascend.
  CompiledImpl(TensorFunction fn, TraceOptions options, CompileOptions compile_options);

  std::vector<Tensor> run(const std::vector<Tensor>& inputs);
  Traced traced(const std::vector<Tensor>& inputs);
  // How often it was traced.
  [[nodiscard]] std::size_t signatures();
  // How many forms there are.
  [[nodiscard]] std::size_t kept();
  [[nodiscard]] std::vector<std::string> bucket_refusals();
  void save(const std::string& directory);

 private:
  struct Form {
    DType dtype;
    Shape shape;  // kDynamicDim where any extent will do
    Place place;
    friend bool operator==(const Form& a, const Form& b) {
      return a.dtype == b.dtype && a.shape == b.shape && a.place == b.place;
    }
  };
  static std::vector<Form> forms_of(const std::vector<Tensor>& inputs);
  static std::string key_of(const std::vector<Form>& forms);
  static bool is_open(const std::vector<Form>& forms);

  // Says how inputs of that form are filled up to a bucket, or why they are not.
  struct Filling {
    std::vector<Form> forms;  // filled up; kDynamicDim rows stand for more than in any bucket
    std::string refusal;      // why not; empty if they are
  };
  struct Entry {
    std::vector<Form> forms;
    bool records = true;  // gradients are recorded
    Traced traced;
    Program program;  // the same, with what it draws for a feed
    bool is_fed_draws = false;
    std::int64_t draws = 0;           // of the numbers that the thread draws
    std::vector<OutsideLeaf> leaves;  // what it takes and leaves of gradients
    std::vector<bool> requires_grad;  // by result
    std::vector<Fetch> fetches;       // results, then what is left of gradients
    Place place;
    std::unique_ptr<Executor> executor;
    std::uint64_t bytes = 0;  // that count, when it was asked last
    bool has_run_since = false;
  };
  using Entries = core::RecentMap<std::shared_ptr<Entry>>;  // runs have them too

  // The rows to which the inputs are filled up; none if they are taken as they are.
  std::optional<std::int64_t> bucket_for(const std::vector<Tensor>& inputs);
  [[nodiscard]] Filling make_filling(std::vector<Form> forms, bool fits) const;
  std::vector<Tensor> run_form(const std::vector<Tensor>& inputs);
  std::shared_ptr<Entry> entry_for(const std::vector<Tensor>& inputs);
  // Calls the function.
  void trace_into(Entry& entry, const std::vector<Tensor>& inputs);
  static std::shared_ptr<eager::Node> node_of(const Entry& entry,
                                              const std::vector<Tensor>& inputs);
  static void add_draws(const Entry& entry, Feed* feed);
  static void leave_effects(const Entry& entry, const std::vector<Tensor>& inputs,
                            std::vector<Tensor>* results);
  [[nodiscard]] static bool serves(const Entry& entry, const std::vector<Tensor>& inputs);
  // Null if there is none.
  std::shared_ptr<Entry> known_entry(const std::vector<Tensor>& inputs);
  std::shared_ptr<Entry> make_entry(const std::vector<Tensor>& inputs);
  void count_bytes();
  void shrink(Entries::Entries* dropped);

  TensorFunction fn_;
  TraceOptions options_;
  CompileOptions compile_options_;  // of executors, which know no buckets
  std::vector<std::int64_t> buckets_;
  bool rows_are_independent_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  Entries entries_;        // by the bytes of their forms
  std::size_t open_ = 0;   // of those, that serve any extent somewhere
  std::size_t alike_ = 0;  // that have the forms of another one
  std::uint64_t bytes_ = 0;
  std::optional<Traced> first_;  // what is saved
  std::vector<OutsideLeaf> first_leaves_;
  std::size_t traced_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<Filling> fillings_;  // the latest ones
};

}  // namespace loci::tracing
