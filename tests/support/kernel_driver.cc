#include "tests/support/kernel_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>
#include <random>
#include <thread>

namespace loci::testing {
namespace {

constexpr std::size_t kGuardBytes = 256;
constexpr std::byte kGuard{0xA5};
constexpr std::uint32_t kThreads = 3;

loci_str text_of(const std::string& text) { return {text.data(), text.size()}; }
std::string string_of(loci_str text) { return {text.data, static_cast<std::size_t>(text.size)}; }

// A block with guard bytes behind it; 64-byte aligned.
class Guarded {
 public:
  Guarded(std::uint64_t bytes, std::byte fill) : bytes_(bytes) {
    const std::size_t total = (bytes + kGuardBytes + 63) / 64 * 64;
    memory_ = static_cast<std::byte*>(std::aligned_alloc(64, total));
    std::fill(memory_, memory_ + bytes, fill);
    std::fill(memory_ + bytes, memory_ + bytes + kGuardBytes, kGuard);
  }
  ~Guarded() { std::free(memory_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] std::byte* data() const { return memory_; }
  void check(const char* what) const {
    const std::byte* guard = memory_ + bytes_;
    if (std::all_of(guard, guard + kGuardBytes, [](std::byte b) { return b == kGuard; })) return;
    throw std::logic_error(std::string("the kernel wrote behind ") + what);
  }

 private:
  std::uint64_t bytes_;
  std::byte* memory_;
};

struct AttributeFiller {
  loci_attr& attribute;
  void operator()(bool value) const {
    attribute.kind = LOCI_ATTR_BOOL;
    attribute.integer = value ? 1 : 0;
  }
  void operator()(std::int64_t value) const {
    attribute.kind = LOCI_ATTR_INT;
    attribute.integer = value;
  }
  void operator()(double value) const {
    attribute.kind = LOCI_ATTR_FLOAT;
    attribute.real = value;
  }
  void operator()(const std::string& value) const {
    attribute.kind = LOCI_ATTR_STRING;
    attribute.text = text_of(value);
  }
  void operator()(DTypeAttribute value) const {
    attribute.kind = LOCI_ATTR_DTYPE;
    attribute.integer = value.dtype;
  }
  void operator()(const std::vector<std::int64_t>& value) const {
    attribute.kind = LOCI_ATTR_INTS;
    attribute.items = value.data();
    attribute.item_count = value.size();
  }
};

// A Call as the C ABI describes it; borrows from the call.
struct Description {
  explicit Description(const Call& call) {
    for (const auto& [name, value] : call.attributes) {
      loci_attr attribute{};
      attribute.name = text_of(name);
      std::visit(AttributeFiller{attribute}, value);
      attributes.push_back(attribute);
    }
    for (const Value& input : call.inputs) {
      inputs.push_back(argument(input.dtype, input.dims, input.residence));
    }
    for (const auto& [dtype, dims] : call.outputs) {
      outputs.push_back(argument(dtype, dims, LOCI_RESIDENCE_DEVICE));
    }
    for (std::uint32_t i = 0; i <= inputs.size(); ++i) input_slots.push_back(i);
    for (std::uint32_t i = 0; i <= outputs.size(); ++i) output_slots.push_back(i);
    op.struct_size = sizeof op;
    op.version = 1;
    op.op = text_of(call.op);
    op.attrs = attributes.data();
    op.attr_count = attributes.size();
    op.inputs = inputs.data();
    op.outputs = outputs.data();
    op.input_slots = input_slots.data();
    op.output_slots = output_slots.data();
    op.input_slot_count = static_cast<std::uint32_t>(inputs.size());
    op.output_slot_count = static_cast<std::uint32_t>(outputs.size());
  }

  static loci_arg argument(loci_dtype dtype, const Dims& dims, std::uint32_t residence) {
    loci_arg result{};
    result.dims = dims.data();
    result.dtype = dtype;
    result.rank = static_cast<std::int32_t>(dims.size());
    result.residence = residence;
    return result;
  }

  std::vector<loci_attr> attributes;
  std::vector<loci_arg> inputs;
  std::vector<loci_arg> outputs;
  std::vector<std::uint32_t> input_slots;
  std::vector<std::uint32_t> output_slots;
  loci_op_desc op{};
};

loci_view view_of(loci_dtype dtype, const Dims& dims, std::byte* data, std::uint64_t bytes,
                  std::uint32_t residence) {
  loci_view view{};
  view.data = bytes == 0 ? nullptr : data;
  view.dims = dims.data();
  view.bytes = bytes;
  view.rank = static_cast<std::int32_t>(dims.size());
  view.dtype = dtype;
  view.residence = residence;
  return view;
}

std::uint64_t byte_count(loci_dtype dtype, const Dims& dims) {
  std::uint64_t count = sdk::dtype_bytes(dtype);
  for (const std::int64_t extent : dims) count *= static_cast<std::uint64_t>(extent);
  return count;
}

// The memory of one launch: values copied in, outputs filled with a pattern, checked afterwards.
class Frame {
 public:
  Frame(const Call& call, const loci_prepared_info& info)
      : call_(call),
        workspace_(info.workspace_bytes, std::byte{0x7F}),
        state_(info.state_bytes, std::byte{0}) {
    for (const Value& input : call.inputs) {
      const std::size_t bytes = input.residence == LOCI_RESIDENCE_METADATA ? 0 : input.bytes.size();
      auto& block = blocks_.emplace_back(std::make_unique<Guarded>(bytes, std::byte{0}));
      if (bytes != 0) std::memcpy(block->data(), input.bytes.data(), bytes);
      inputs_.push_back(view_of(input.dtype, input.dims, block->data(), bytes, input.residence));
    }
    for (std::uint32_t i = 0; i < call.outputs.size(); ++i) {
      const auto& [dtype, dims] = call.outputs[i];
      const std::uint64_t bytes = byte_count(dtype, dims);
      const auto shared = call.in_place.find(i);
      std::byte* data = nullptr;
      if (shared != call.in_place.end()) {
        data = blocks_[shared->second]->data();
      } else {
        data = blocks_.emplace_back(std::make_unique<Guarded>(bytes, std::byte{0x7F}))->data();
      }
      outputs_.push_back(view_of(dtype, dims, data, bytes, LOCI_RESIDENCE_DEVICE));
    }
    for (const loci_view& view : inputs_) input_pointers_.push_back(&view);
    for (const loci_view& view : outputs_) output_pointers_.push_back(&view);
  }

  loci_error* launch(const loci_prepared_info& info) {
    loci_launch launch{};
    launch.inputs = input_pointers_.data();
    launch.outputs = output_pointers_.data();
    launch.workspace = workspace_.data();
    launch.state = state_.data();
    return info.launch(info.prepared, &launch);
  }

  [[nodiscard]] std::vector<Value> finish() const {
    for (const auto& block : blocks_) block->check("an argument");
    workspace_.check("the workspace");
    state_.check("the state");
    std::vector<Value> values;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      Value value = empty_like(call_.outputs[i].first, call_.outputs[i].second);
      if (!value.bytes.empty()) {
        std::memcpy(value.bytes.data(), outputs_[i].data, value.bytes.size());
      }
      values.push_back(std::move(value));
    }
    return values;
  }

 private:
  const Call& call_;
  std::vector<std::unique_ptr<Guarded>> blocks_;
  Guarded workspace_;
  Guarded state_;
  std::vector<loci_view> inputs_;
  std::vector<loci_view> outputs_;
  std::vector<const loci_view*> input_pointers_;
  std::vector<const loci_view*> output_pointers_;
};

}  // namespace

std::size_t Value::numel() const {
  std::size_t count = 1;
  for (const std::int64_t extent : dims) count *= static_cast<std::size_t>(extent);
  return count;
}

Value empty_like(loci_dtype dtype, Dims dims) {
  Value value{dtype, std::move(dims), {}, LOCI_RESIDENCE_DEVICE};
  value.bytes.resize(byte_count(dtype, value.dims));
  return value;
}

Value value_of(loci_dtype dtype, Dims dims, const std::vector<double>& elements) {
  Value value = empty_like(dtype, std::move(dims));
  if (elements.size() != value.numel()) throw std::logic_error("wrong number of elements");
  sdk::visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const T element = static_cast<T>(elements[i]);
      std::memcpy(value.bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return value;
}

Value random_value(loci_dtype dtype, Dims dims, double low, double high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  const bool whole = (sdk::kFloatBits & LOCI_DTYPE_BIT(dtype)) == 0;
  std::vector<double> elements(empty_like(dtype, dims).numel());
  for (double& element : elements) {
    element = distribution(generator);
    if (whole) element = static_cast<double>(static_cast<std::int64_t>(element));
  }
  return value_of(dtype, std::move(dims), elements);
}

Value metadata(loci_dtype dtype, Dims dims) {
  return {dtype, std::move(dims), {}, LOCI_RESIDENCE_METADATA};
}

Value absent() { return {}; }

std::vector<double> to_doubles(const Value& value) {
  std::vector<double> elements;
  sdk::visit_all(value.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < value.numel(); ++i) {
      elements.push_back(static_cast<double>(value.data<T>()[i]));
    }
  });
  return elements;
}

const char* dtype_text(loci_dtype dtype) {
  static constexpr const char* kNames[] = {"none", "bool", "i8",  "i16", "i32",  "i64", "u8",
                                           "u16",  "u32",  "u64", "f16", "bf16", "f32", "f64"};
  return kNames[dtype];
}

struct TestHost::State {
  struct ErrorObject {
    State* owner;
    loci_code code;
    std::string message;
    ErrorObject* cause;
  };
  static ErrorObject* object(loci_error* error) { return reinterpret_cast<ErrorObject*>(error); }
  static const ErrorObject* object(const loci_error* error) {
    return reinterpret_cast<const ErrorObject*>(error);
  }
  static State& of(loci_host* host) { return *reinterpret_cast<State*>(host); }

  static void release(loci_error* error) {
    for (ErrorObject* next = object(error); next != nullptr;) {
      ErrorObject* current = next;
      next = current->cause;
      --current->owner->errors;
      delete current;
    }
  }

  static void parallel_for(loci_host* host, std::int64_t begin, std::int64_t end,
                           std::int64_t grain, loci_range_fn body, void* context) {
    ++of(host).loops;
    const std::int64_t items = end - begin;
    const std::int64_t ranges = std::clamp<std::int64_t>(items / std::max<std::int64_t>(grain, 1),
                                                         1, std::int64_t{kThreads});
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < ranges; ++i) {
      threads.emplace_back(body, context, begin + items * i / ranges,
                           begin + items * (i + 1) / ranges, static_cast<std::uint32_t>(i));
    }
    for (std::thread& thread : threads) thread.join();
  }

  void fill() {
    api.struct_size = sizeof api;
    api.host = reinterpret_cast<loci_host*>(this);
    api.log_enabled = [](loci_host*, std::int32_t) { return std::int32_t{0}; };
    api.log = [](loci_host*, std::int32_t, loci_str, const char*, std::int32_t) {};
    api.error_make = [](loci_host* host, loci_code code, loci_str message, loci_error* cause) {
      ++of(host).errors;
      auto* error =
          new ErrorObject{&of(host), code, std::string(message.data, message.size), object(cause)};
      return reinterpret_cast<loci_error*>(error);
    };
    api.error_code = [](const loci_error* error) { return object(error)->code; };
    api.error_message = [](const loci_error* error) { return text_of(object(error)->message); };
    api.error_cause = [](const loci_error* error) {
      return reinterpret_cast<const loci_error*>(object(error)->cause);
    };
    api.error_release = &release;
    api.memory_alloc = [](loci_host*, std::uint64_t bytes, std::uint64_t alignment) {
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    api.memory_free = [](loci_host*, void* pointer) { std::free(pointer); };
    api.parallel_for = &parallel_for;
    api.parallel_width = [](loci_host*) { return kThreads; };
    api.now_ns = [](loci_host*) {
      const auto now = std::chrono::steady_clock::now().time_since_epoch();
      return static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    };
    api.config_get = [](loci_host* host, loci_str key) {
      const auto& values = of(host).configuration;
      const auto found = values.find(std::string(key.data, key.size));
      return found == values.end() ? loci_str{} : text_of(found->second);
    };
    api.layout_intern = [](loci_host* host, loci_str, std::uint64_t) { return ++of(host).layouts; };
    api.get_interface = [](loci_host*, loci_str, std::uint32_t) -> const void* { return nullptr; };
  }

  loci_host_api api{};
  std::map<std::string, std::string> configuration;
  std::atomic<int> errors{0};
  std::atomic<int> loops{0};
  std::uint32_t layouts = 0;
};

TestHost::TestHost(std::map<std::string, std::string> configuration)
    : state_(std::make_unique<State>()) {
  state_->configuration = std::move(configuration);
  state_->fill();
}
TestHost::~TestHost() = default;

const loci_host_api& TestHost::api() const { return state_->api; }
int TestHost::live_errors() const { return state_->errors; }
int TestHost::parallel_loops() const { return state_->loops; }

void TestHost::check(loci_error* error) const {
  if (error == nullptr) return;
  const PluginError thrown(State::object(error)->code, State::object(error)->message);
  State::release(error);
  throw thrown;
}

DrivenPlugin::DrivenPlugin(loci_plugin_query_fn query, std::map<std::string, std::string> options) {
  loci_host_info info{};
  info.struct_size = sizeof info;
  desc_ = query(&info);
  std::vector<loci_kv> entries;
  for (const auto& [key, value] : options) entries.push_back({text_of(key), text_of(value)});
  host_.check(desc_->create(&host_.api(), entries.data(), entries.size(), &plugin_));
  const auto interface = [&](const std::string& name) {
    const void* table = nullptr;
    host_.check(desc_->get_interface(plugin_, text_of(name), 0, &table));
    return table;
  };
  devices_ = static_cast<const loci_device_api*>(interface(LOCI_DEVICE_INTERFACE));
  kernels_ = static_cast<const loci_kernels_api*>(interface(LOCI_KERNELS_INTERFACE));
  if (devices_ != nullptr) host_.check(devices_->open(plugin_, 0, &device_));
}

DrivenPlugin::~DrivenPlugin() {
  if (device_ != nullptr) devices_->close(device_);
  if (plugin_ != nullptr) desc_->destroy(plugin_);
}

// A kernel as prepare() left it, or why it declined.
struct DrivenPlugin::Prepared {
  Prepared(const loci_kernels_api& api, const Call& call)
      : destroy(api.destroy_prepared), layouts(call.inputs.size() + call.outputs.size()) {
    info.struct_size = sizeof info;
    info.input_layouts = layouts.data();
    info.output_layouts = layouts.data() + call.inputs.size();
  }
  ~Prepared() {
    if (info.prepared != nullptr) destroy(info.prepared);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void (*destroy)(loci_prepared*);
  std::vector<std::uint32_t> layouts;
  loci_prepared_info info{};
  std::string declined;
};

std::vector<const loci_kernel_def*> DrivenPlugin::defs_of(const std::string& op) {
  std::uint64_t count = 0;
  const loci_kernel_def* defs = kernels_->defs(plugin_, &count);
  std::vector<const loci_kernel_def*> found;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (string_of(defs[i].op) == op) found.push_back(&defs[i]);
  }
  return found;
}

std::unique_ptr<DrivenPlugin::Prepared> DrivenPlugin::prepare(const loci_kernel_def& def,
                                                              const Call& call) {
  const Description description(call);
  auto prepared = std::make_unique<Prepared>(*kernels_, call);
  loci_kernel* kernel = nullptr;
  host_.check(kernels_->create(plugin_, &def, device_, &description.op, &kernel));
  const std::unique_ptr<loci_kernel, void (*)(loci_kernel*)> owned(kernel, kernels_->destroy);
  try {
    host_.check(kernels_->prepare(kernel, &description.op, &prepared->info));
  } catch (const PluginError& error) {
    if (error.code() != LOCI_CODE_UNSUPPORTED) throw;
    prepared->declined = error.what();
  }
  return prepared;
}

std::string DrivenPlugin::refusal(const Call& call, const std::string& implementation) {
  const Description description(call);
  const loci_dtype dtype = call.inputs.empty() ? call.outputs.at(0).first : call.inputs.at(0).dtype;
  std::string reason = "there is no such kernel";
  for (const loci_kernel_def* def : defs_of(call.op)) {
    if (string_of(def->name) != implementation) continue;
    if ((def->dtype_mask & LOCI_DTYPE_BIT(dtype)) == 0) return "not for that dtype";
    loci_reason text{};
    if (kernels_->supports(plugin_, def, &description.op, &text) != 0) {
      return prepare(*def, call)->declined;
    }
    reason = string_of(text.text);
  }
  return reason;
}

std::string DrivenPlugin::implementation_of(const Call& call) {
  for (const loci_kernel_def* def : defs_of(call.op)) {
    std::string name = string_of(def->name);
    if (refusal(call, name).empty()) return name;
  }
  return {};
}

// The kernel of that name, or the first one behind it that does not decline.
std::unique_ptr<DrivenPlugin::Prepared> DrivenPlugin::prepare_from(const std::string& name,
                                                                   const Call& call) {
  bool may_begin = false;
  for (const loci_kernel_def* def : defs_of(call.op)) {
    may_begin = may_begin || string_of(def->name) == name;
    if (!may_begin) continue;
    auto prepared = prepare(*def, call);
    if (prepared->declined.empty()) return prepared;
  }
  throw std::logic_error("no kernel for " + call.op);
}

std::vector<Value> DrivenPlugin::run(const Call& call) {
  const auto prepared = prepare_from(
      call.implementation.empty() ? implementation_of(call) : call.implementation, call);
  const loci_prepared_info& info = prepared->info;

  std::vector<std::unique_ptr<Frame>> frames;
  for (int i = 0; i < call.threads; ++i) frames.push_back(std::make_unique<Frame>(call, info));
  std::vector<loci_error*> errors(frames.size(), nullptr);
  const auto launch = [&](std::size_t i) {
    for (int j = 0; j < call.launches && errors[i] == nullptr; ++j) {
      errors[i] = frames[i]->launch(info);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < frames.size(); ++i) others.emplace_back(launch, i);
  launch(0);
  for (std::thread& thread : others) thread.join();
  for (loci_error* error : errors) host_.check(error);

  std::vector<Value> result = frames[0]->finish();
  for (const auto& frame : frames) {
    const std::vector<Value> other = frame->finish();
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (other[i].bytes != result[i].bytes) throw std::logic_error("threads disagree");
    }
  }
  return result;
}

loci_plugin_query_fn open_plugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::logic_error(dlerror());
  return reinterpret_cast<loci_plugin_query_fn>(dlsym(library, LOCI_PLUGIN_QUERY_SYMBOL));
}

}  // namespace loci::testing
