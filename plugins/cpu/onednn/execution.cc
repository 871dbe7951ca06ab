#include "plugins/cpu/onednn/execution.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "plugins/cpu/onednn/engine.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;

constexpr std::uint64_t kAlignment = 64;
// Generated code and descriptors of one. Resident memory grows by 56 KiB for a product and
// by 90 to 100 KiB for a convolution with its reorders (oneDNN 2.6, AVX-512).
constexpr std::uint64_t kPrimitiveBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kReorderBytes = std::uint64_t{24} << 10;

memory handle_of(const memory::desc& desc) { return {desc, engine(), DNNL_MEMORY_NONE}; }

}  // namespace

class Execution::Handles {
 public:
  explicit Handles(const Execution& execution) : scratchpad_(handle_of(execution.scratchpad_)) {
    chosen_.reserve(execution.bindings_.size());
    given_.reserve(execution.bindings_.size());
    arguments_.reserve(execution.bindings_.size() + 1);
    for (const Binding& binding : execution.bindings_) {
      chosen_.push_back(handle_of(binding.chosen));
      given_.push_back(binding.reorder ? handle_of(binding.given.desc) : memory());
      arguments_.push_back({binding.argument, chosen_.back().get()});
    }
    arguments_.push_back({DNNL_ARG_SCRATCHPAD, scratchpad_.get()});
  }

  memory& given(std::size_t i) { return given_[i]; }
  memory& chosen(std::size_t i) { return chosen_[i]; }
  memory& scratchpad() { return scratchpad_; }
  [[nodiscard]] const std::vector<dnnl_exec_arg_t>& arguments() const { return arguments_; }

 private:
  memory scratchpad_;
  std::vector<memory> chosen_;
  std::vector<memory> given_;  // of those that are reordered
  std::vector<dnnl_exec_arg_t> arguments_;
};

// Keeps those of one launch; launches that run at the same time make their own.
class Execution::HandlePool {
 public:
  HandlePool() = default;
  ~HandlePool() { delete idle_.load(); }
  HandlePool(const HandlePool&) = delete;
  HandlePool& operator=(const HandlePool&) = delete;

  std::unique_ptr<Handles> take(const Execution& execution) {
    std::unique_ptr<Handles> idle(idle_.exchange(nullptr, std::memory_order_acquire));
    return idle ? std::move(idle) : std::make_unique<Handles>(execution);
  }
  void give_back(std::unique_ptr<Handles> handles) {
    delete idle_.exchange(handles.release(), std::memory_order_acq_rel);
  }

 private:
  std::atomic<Handles*> idle_{nullptr};
};

void Execution::DeletePool::operator()(HandlePool* pool) const { delete pool; }

std::uint64_t end_of_data(std::uint64_t begin, const memory::desc& desc) {
  return begin + (desc.get_size() + kAlignment - 1) / kAlignment * kAlignment;
}

// Loops in plain C++, which ours are faster than: "ref:any", "simple_nchw:any".
bool Execution::is_plain(const char* implementation) {
  const std::string_view name = implementation;
  return name.substr(0, 3) == "ref" || name.substr(0, 6) == "simple";
}

Execution::Execution(const Elements& elements, dnnl::primitive primitive, memory::desc scratchpad)
    : elements_(elements),
      primitive_(std::move(primitive)),
      stream_(engine()),
      scratchpad_(std::move(scratchpad)),
      handles_(new HandlePool) {}

void Execution::bind_input(int argument, std::uint32_t index, const Slice& given,
                           const memory::desc& chosen) {
  bindings_.push_back({argument, index, Binding::Kind::kInput, given, chosen});
}

void Execution::bind_output(int argument, std::uint32_t index, const Slice& given,
                            const memory::desc& chosen) {
  bindings_.push_back({argument, index, Binding::Kind::kOutput, given, chosen});
}

void Execution::bind_weights(int argument, std::uint32_t index, const sdk::Arg& input,
                             const Slice& given, const memory::desc& chosen) {
  const bool changes = given.desc != chosen || elements_.are_widened();
  if (!input.takes_any_layout() || !changes || layout_text(chosen).empty()) {
    return bind_input(argument, index, given, chosen);
  }
  bindings_.push_back({argument, index, Binding::Kind::kPacked, given, chosen});
}

void Execution::lay_out(Workspace* workspace) {
  for (Binding& binding : bindings_) {
    const bool is_packed = binding.kind == Binding::Kind::kPacked;
    if (is_packed || binding.is_prepared || !binding.is_reordered()) continue;
    binding.offset = workspace->reserve(binding.chosen, "an argument in another layout");
    const bool is_output = binding.kind == Binding::Kind::kOutput;
    binding.reorder = is_output ? make_reorder(binding.chosen, binding.given.desc)
                                : make_reorder(binding.given.desc, binding.chosen);
  }
  scratchpad_offset_ = workspace->reserve(scratchpad_, "a scratchpad");
  // Those of the first launch, which finds all of it made.
  handles_->give_back(std::make_unique<Handles>(*this));
}

std::uint64_t Execution::memory_bytes() const {
  const auto reorders = std::count_if(bindings_.begin(), bindings_.end(),
                                      [](const Binding& binding) { return !!binding.reorder; });
  return kPrimitiveBytes + kReorderBytes * static_cast<std::uint64_t>(reorders);
}

void Execution::run(const sdk::Launch& launch) const {
  using Kind = Binding::Kind;
  std::unique_ptr<Handles> handles = handles_->take(*this);
  dnnl::stream stream = stream_;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    const Binding& binding = bindings_[i];
    const loci_view& view = binding.kind == Kind::kOutput ? launch.output_view(binding.index)
                                                          : launch.input_view(binding.index);
    char* const data = static_cast<char*>(view.data);
    if (binding.kind == Kind::kPacked) {
      handles->chosen(i).set_data_handle(data + binding.packed_begin);
    } else if (binding.is_prepared) {
      handles->chosen(i).set_data_handle(launch.workspace<char>(binding.offset));
    } else if (!binding.reorder) {
      handles->chosen(i).set_data_handle(data + binding.given.begin);
    } else {
      handles->given(i).set_data_handle(data + binding.given.begin);
      handles->chosen(i).set_data_handle(launch.workspace<char>(binding.offset));
      if (binding.kind == Kind::kInput) {
        run_reorder(*binding.reorder, stream, handles->given(i), handles->chosen(i));
      }
    }
  }
  handles->scratchpad().set_data_handle(launch.workspace<char>(scratchpad_offset_));
  run_primitive(primitive_, stream, handles->arguments());
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (bindings_[i].kind == Kind::kOutput && bindings_[i].reorder) {
      run_reorder(*bindings_[i].reorder, stream, handles->chosen(i), handles->given(i));
    }
  }
  handles_->give_back(std::move(handles));
}

}  // namespace loci::cpu::onednn
