// A function as programs, by the form of its inputs.
#pragma once

#include <loci/trace.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace loci::tracing {

// Thread-safe.
class CompiledImpl {
 public:
  CompiledImpl(TensorFunction fn, TraceOptions options, CompileOptions compile_options)
      : fn_(std::move(fn)), options_(std::move(options)), compile_options_(compile_options) {}

  std::vector<Tensor> run(const std::vector<Tensor>& inputs);
  Traced traced(const std::vector<Tensor>& inputs);
  [[nodiscard]] std::size_t signatures();
  void save(const std::string& directory);

 private:
  struct Form {
    DType dtype;
    Shape shape;  // kDynamicDim where any extent will do
    Place place;
  };
  struct Entry {
    std::vector<Form> forms;
    Traced traced;
    std::vector<Fetch> fetches;
    Place place;
    std::unique_ptr<Executor> executor;
  };

  Entry& entry_for(const std::vector<Tensor>& inputs);
  [[nodiscard]] static bool serves(const Entry& entry, const std::vector<Tensor>& inputs);
  std::unique_ptr<Entry> make_entry(const std::vector<Tensor>& inputs);

  TensorFunction fn_;
  TraceOptions options_;
  CompileOptions compile_options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace loci::tracing
