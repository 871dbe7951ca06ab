#include "tests/support/kernel_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <thread>

namespace loci::testing {
namespace {

constexpr std::size_t kGuardBytes = 256;
constexpr std::byte kGuard{0xA5};

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

// The texts of a call in the form of the C ABI; borrows from them.
using Texts = std::vector<loci_str>;

struct AttributeFiller {
  loci_attr& attribute;
  std::deque<Texts>& texts;
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
  void operator()(const std::vector<double>& value) const {
    attribute.kind = LOCI_ATTR_FLOATS;
    attribute.items = value.data();
    attribute.item_count = value.size();
  }
  void operator()(const std::vector<std::string>& value) const {
    Texts& borrowed = texts.emplace_back();
    for (const std::string& text : value) borrowed.push_back(text_of(text));
    attribute.kind = LOCI_ATTR_STRINGS;
    attribute.items = borrowed.data();
    attribute.item_count = borrowed.size();
  }
};

// A Call as the C ABI describes it; borrows from the call.
struct Description {
  explicit Description(const Call& call) {
    for (const auto& [name, value] : call.attributes) {
      loci_attr attribute{};
      attribute.name = text_of(name);
      std::visit(AttributeFiller{attribute, texts}, value);
      attributes.push_back(attribute);
    }
    for (const Value& input : call.inputs) {
      inputs.push_back(argument(input.dtype, input.dims, input.residence));
    }
    for (const std::uint32_t constant : call.constants) {
      inputs.at(constant).flags |= LOCI_ARG_CONSTANT;
      inputs.at(constant).layout = LOCI_LAYOUT_ANY;
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
  std::deque<Texts> texts;  // of attributes
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

// Constants by the input that they are, in the layouts that a kernel has chosen.
struct PackedConstants {
  void check() const {
    for (const auto& block : blocks) block->check("a constant that it packed");
  }
  std::map<std::uint32_t, loci_view> views;
  std::vector<std::unique_ptr<Guarded>> blocks;
};

// `layouts` are those of the inputs, relayout(source, target) packs: into memory without meaning,
// so that elements that are left out show.
template <class Relayout>
PackedConstants pack_constants(const Call& call, const std::vector<std::uint32_t>& layouts,
                               const Relayout& relayout) {
  PackedConstants packed;
  for (const std::uint32_t i : call.constants) {
    if (layouts.at(i) == LOCI_LAYOUT_PLAIN) continue;
    const Value& value = call.inputs[i];
    Guarded plain(value.bytes.size(), std::byte{0});
    std::memcpy(plain.data(), value.bytes.data(), value.bytes.size());
    const std::uint64_t size = TestHost::layout_bytes(layouts[i]);
    auto& block = packed.blocks.emplace_back(std::make_unique<Guarded>(size, std::byte{0x7F}));
    loci_view target = view_of(value.dtype, value.dims, block->data(), size, value.residence);
    target.layout = layouts[i];
    relayout(view_of(value.dtype, value.dims, plain.data(), value.bytes.size(), value.residence),
             target);
    packed.views[i] = target;
  }
  return packed;
}

// The memory of one launch: values copied in, outputs filled with a pattern, checked afterwards.
class Frame {
 public:
  Frame(const Call& call, const loci_prepared_info& info, const PackedConstants& packed)
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
    for (const auto& [input, view] : packed.views) inputs_[input] = view;
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
  const PackedConstants packed = pack_constants(
      call, prepared->layouts, [&](const loci_view& source, const loci_view& target) {
        host_.check(kernels_->relayout(plugin_, device_, &source, &target, nullptr, 0));
      });

  std::vector<std::unique_ptr<Frame>> frames;
  for (int i = 0; i < call.threads; ++i) {
    frames.push_back(std::make_unique<Frame>(call, info, packed));
  }
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

  packed.check();
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
