// Kernels: implementations of ops, from C++. A whole one:
//
//   struct Relu {                                        // prepared: immutable, re-entrant
//     void launch(const Launch& launch) const noexcept {
//       const auto* x = launch.input<float>(0);
//       auto* out = launch.output<float>(0);
//       for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
//     }
//     std::int64_t count;
//   };
//
//   void prepare_relu(Prepare& prepare) { prepare.emplace<Relu>(prepare.op().output(0).numel()); }
//
//   KernelDef relu{"relu", "plain", LOCI_DTYPE_BIT(LOCI_DTYPE_F32), make_kernel<prepare_relu>};
//
// A kernel with attributes is a class derived from Kernel whose constructor takes the OpDesc and
// reads them; its definition says make_kernel<ThatClass>.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <cstring>
#include <loci/plugin/error.hpp>
#include <loci/plugin/host.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <loci/plugin/views.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace loci::sdk {

namespace detail {

// The object that a loci_prepared* points to.
struct PreparedBase {
  const Host* host;
  void (*destroy)(PreparedBase*) noexcept;
};

template <class T>
struct PreparedBox : PreparedBase {
  template <class... Args>
  explicit PreparedBox(const Host& owner, Args&&... args)
      : PreparedBase{&owner,
                     [](PreparedBase* base) noexcept { delete static_cast<PreparedBox*>(base); }},
        value{std::forward<Args>(args)...} {}
  T value;
};

struct PreparedDeleter {
  void operator()(PreparedBase* base) const noexcept { base->destroy(base); }
};

// One indirect call and the inlined body; the try block costs nothing until something is thrown.
template <class T>
loci_error* launch_thunk(const loci_prepared* prepared, const loci_launch* launch) noexcept {
  const auto* box =
      static_cast<const PreparedBox<T>*>(reinterpret_cast<const PreparedBase*>(prepared));
  try {
    box->value.launch(Launch(*launch));
    return nullptr;
  } catch (...) {
    return current_exception_error(box->host->api());
  }
}

}  // namespace detail

// A prepared kernel that another one launches as a part of itself: see Prepare::part().
class PreparedPart {
 public:
  // Throws Error as the kernel does.
  void launch(const Launch& launch) const {
    check(prepared_->host->api(),
          launch_(reinterpret_cast<const loci_prepared*>(prepared_.get()), &launch.raw()));
  }

 private:
  friend class Prepare;
  using Owned = std::unique_ptr<detail::PreparedBase, detail::PreparedDeleter>;
  using LaunchFn = decltype(loci_prepared_info::launch);
  PreparedPart(Owned prepared, LaunchFn function)
      : prepared_(std::move(prepared)), launch_(function) {}

  Owned prepared_;
  LaunchFn launch_;
};

class Kernel;

// The operator that a kernel prepares from, and the place where it leaves the result.
class Prepare {
 public:
  Prepare(const Host& host, loci_device* device, const loci_op_desc& op, loci_prepared_info& info)
      : host_(host), device_(device), op_(op), info_(info) {}

  // The plugin's host, which outlives what is prepared.
  [[nodiscard]] const Host& host() const { return host_; }
  [[nodiscard]] loci_device* device() const { return device_; }
  // dtypes and extents of the arguments. Attributes belong to the kernel's constructor.
  [[nodiscard]] const OpDesc& op() const { return op_; }

  // Constructs the prepared kernel, a T with `void launch(const Launch&) const`, which several
  // threads may call at once. Replaces an earlier one.
  template <class T, class... Args>
  void emplace(Args&&... args) {
    prepared_.reset(new detail::PreparedBox<T>(host_, std::forward<Args>(args)...));
    info_.launch = &detail::launch_thunk<T>;
  }
  // Has `kernel` prepare the same operator, for a kernel that does more than it. Its workspace and
  // layouts become the caller's, who may ask for more workspace behind. Throws what prepare() does.
  [[nodiscard]] PreparedPart part(const Kernel& kernel);

  // Bytes a launch gets as workspace, and as state that is kept per frame.
  void set_workspace(std::uint64_t bytes) { info_.workspace_bytes = bytes; }
  [[nodiscard]] std::uint64_t workspace() const { return info_.workspace_bytes; }
  void set_state(std::uint64_t bytes) { info_.state_bytes = bytes; }
  // Bytes that the prepared kernel keeps, about, where they are more than a KiB: packed constants,
  // tables, generated code.
  void set_memory(std::uint64_t bytes) { info_.memory_bytes = bytes; }
  // The choice for an argument, by flat index, that takes_any_layout(): a layout of this plugin,
  // from Host::intern_layout(). Its relayout() packs the constant, once for all plans that use it.
  void choose_input_layout(std::uint32_t index, std::uint32_t layout) {
    info_.input_layouts[index] = layout;
  }
  void choose_output_layout(std::uint32_t index, std::uint32_t layout) {
    info_.output_layouts[index] = layout;
  }

  // Hands the prepared kernel to the host.
  void finish() {
    if (!prepared_) {
      throw Error(LOCI_CODE_INTERNAL,
                  "[" + std::string(op_.name()) + "] the kernel prepared nothing");
    }
    info_.prepared = reinterpret_cast<loci_prepared*>(prepared_.release());
  }

 private:
  const Host& host_;
  loci_device* device_;
  OpDesc op_;
  loci_prepared_info& info_;
  std::unique_ptr<detail::PreparedBase, detail::PreparedDeleter> prepared_;
};

// A kernel of one operator, its attributes parsed. prepare() may be called from several threads; it
// declines the operator by Error(LOCI_CODE_UNSUPPORTED, reason), and the next kernel is tried.
class Kernel {
 public:
  Kernel() = default;
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual void prepare(Prepare& prepare) const = 0;
};

inline PreparedPart Prepare::part(const Kernel& kernel) {
  kernel.prepare(*this);
  return {std::move(prepared_), info_.launch};
}

using PrepareFn = void (*)(Prepare&);
using CreateFn = std::unique_ptr<Kernel> (*)(const OpDesc& op);
// Why the kernel cannot compute that operator; empty if it can. Cheap. Extents may be unknown.
using SupportsFn = std::string (*)(const OpDesc& op);

namespace detail {

template <PrepareFn prepare_fn>
struct FunctionKernel final : Kernel {
  void prepare(Prepare& prepare) const override { prepare_fn(prepare); }
};

}  // namespace detail

// For KernelDef.create: a class derived from Kernel that is constructed from an OpDesc.
template <class K>
std::unique_ptr<Kernel> make_kernel(const OpDesc& op) {
  return std::make_unique<K>(op);
}
// Makes the kernel of an op without attributes from a function that prepares; for KernelDef.create.
template <PrepareFn prepare_fn>
std::unique_ptr<Kernel> make_kernel(const OpDesc&) {
  return std::make_unique<detail::FunctionKernel<prepare_fn>>();
}

// One implementation of an op.
struct KernelDef {
  std::string_view op;    // STATIC
  std::string_view name;  // STATIC; of the implementation, for reports
  // LOCI_DTYPE_BIT of the first input that is present and not host-resident; of the first output,
  // if there is none.
  std::uint64_t dtypes = 0;
  CreateFn create = nullptr;
  SupportsFn supports = nullptr;      // none: every operator of those dtypes
  std::vector<loci_alias> aliases{};  // outputs that may lie in an input's memory
  std::uint32_t flags = 0;            // LOCI_KERNEL_*
  std::uint32_t op_version = 1;       // of the op's schema; see `loci ops NAME`
  std::string_view not_capturable{};  // STATIC; why, without LOCI_KERNEL_CAPTURABLE
};

// The kernels of a plugin, best first. Immutable; lives as long as the plugin.
class KernelList {
 public:
  explicit KernelList(std::vector<KernelDef> kernels) : kernels_(std::move(kernels)) {
    for (const KernelDef& kernel : kernels_) {
      loci_kernel_def def{};
      def.struct_size = sizeof def;
      def.flags = kernel.flags;
      def.op = to_abi(kernel.op);
      def.name = to_abi(kernel.name);
      def.dtype_mask = kernel.dtypes;
      def.aliases = kernel.aliases.data();
      def.alias_count = kernel.aliases.size();
      def.token = defs_.size();
      def.op_version = kernel.op_version;
      def.not_capturable = to_abi(kernel.not_capturable);
      defs_.push_back(def);
    }
  }

  [[nodiscard]] const std::vector<loci_kernel_def>& defs() const { return defs_; }
  [[nodiscard]] const KernelDef& kernel(const loci_kernel_def& def) const {
    return kernels_[def.token];
  }

 private:
  std::vector<KernelDef> kernels_;
  std::vector<loci_kernel_def> defs_;
};

// The arguments of a plugin's relayout(): both views have the same dtype and extents.
struct RelayoutCall {
  loci_device* device;
  const loci_view& source;  // plain
  const loci_view& target;  // in a layout of the plugin
  loci_stream* stream;
  std::uint64_t correlation;
};

namespace detail {

// The object that a loci_kernel* points to.
struct KernelBox {
  const Host* host;
  loci_device* device;
  std::unique_ptr<Kernel> kernel;
};

inline std::int32_t refuse(std::string_view reason, loci_reason* out_reason) {
  // No destructor, so that the library need not stay mapped for it.
  thread_local char text[512];
  const std::size_t size = std::min(reason.size(), sizeof text);
  std::memcpy(text, reason.data(), size);
  out_reason->text = {text, size};
  return 0;
}

template <class P>
std::int32_t kernel_supports(loci_plugin* plugin, const loci_kernel_def* def,
                             const loci_op_desc* op, loci_reason* out_reason) noexcept {
  try {
    const SupportsFn supports = plugin_of<P>(plugin).kernels().kernel(*def).supports;
    const std::string reason = supports == nullptr ? std::string() : supports(OpDesc(*op));
    return reason.empty() ? 1 : refuse(reason, out_reason);
  } catch (const std::exception& error) {
    return refuse(error.what(), out_reason);
  } catch (...) {
    return refuse("the kernel failed to answer", out_reason);
  }
}

template <class P>
loci_error* create_kernel(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                          const loci_op_desc* op, loci_kernel** out_kernel) noexcept {
  const Host& host = host_of<P>(plugin);
  return guard(host.api(), [&] {
    const CreateFn create = plugin_of<P>(plugin).kernels().kernel(*def).create;
    auto box = std::make_unique<KernelBox>(KernelBox{&host, device, create(OpDesc(*op))});
    *out_kernel = reinterpret_cast<loci_kernel*>(box.release());
  });
}

inline void destroy_kernel(loci_kernel* kernel) noexcept {
  delete reinterpret_cast<KernelBox*>(kernel);
}

inline loci_error* prepare_kernel(loci_kernel* kernel, const loci_op_desc* op,
                                  loci_prepared_info* out_info) noexcept {
  const auto& box = *reinterpret_cast<const KernelBox*>(kernel);
  return guard(box.host->api(), [&] {
    Prepare prepare(*box.host, box.device, *op, *out_info);
    box.kernel->prepare(prepare);
    prepare.finish();
  });
}

inline void destroy_prepared(loci_prepared* prepared) noexcept {
  PreparedDeleter()(reinterpret_cast<PreparedBase*>(prepared));
}

template <class P>
const loci_kernel_def* kernel_defs(loci_plugin* plugin, std::uint64_t* out_count) noexcept {
  const auto& defs = plugin_of<P>(plugin).kernels().defs();
  *out_count = defs.size();
  return defs.data();
}

// See kernels_table().
template <class P, class = void>
struct Relayout {
  static constexpr decltype(loci_kernels_api::relayout) kFunction = nullptr;
};

template <class P>
struct Relayout<P, std::void_t<decltype(&P::relayout)>> {
  static loci_error* run(loci_plugin* plugin, loci_device* device, const loci_view* source,
                         const loci_view* target, loci_stream* stream,
                         std::uint64_t correlation) noexcept {
    return guard(host_of<P>(plugin).api(), [&] {
      plugin_of<P>(plugin).relayout({device, *source, *target, stream, correlation});
    });
  }
  static constexpr decltype(loci_kernels_api::relayout) kFunction = &run;
};

}  // namespace detail

// The table of "loci.kernels" for a plugin P that has `const KernelList& kernels() const` and a
// static constexpr std::string_view kDeviceType; and `void relayout(const RelayoutCall&)`, from any
// thread, if its kernels choose layouts.
template <class P>
const loci_kernels_api* kernels_table() {
  static constexpr loci_kernels_api kTable = {
      sizeof(loci_kernels_api),
      LOCI_KERNELS_MINOR,
      {P::kDeviceType.data(), P::kDeviceType.size()},
      &detail::kernel_defs<P>,
      &detail::kernel_supports<P>,
      &detail::create_kernel<P>,
      &detail::destroy_kernel,
      &detail::prepare_kernel,
      &detail::destroy_prepared,
      detail::Relayout<P>::kFunction,
  };
  return &kTable;
}

}  // namespace loci::sdk
