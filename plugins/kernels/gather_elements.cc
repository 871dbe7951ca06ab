// gather_elements, scatter_elements and the gradient of what is written.
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/element_lines.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/scatter_functions.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

// Calls work(ids, begin, end) for all lines, on the host's threads. With `ids` of the type that the
// index has.
template <class Work>
void for_lines(const sdk::Host& host, const ElementLines& lines, const IntegerView& index,
               const Work& work) {
  index.with_data([&](const auto* ids) {
    host.parallel_for(0, lines.lines(), lines.grain(),
                      [&](std::int64_t begin, std::int64_t end) { work(ids, begin, end); });
  });
}

template <class T>
struct TakeElements {
  void launch(const Launch& launch) const {
    const IntegerView index(launch.input_view(1));
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    lines.check("gather_elements", *host, index);
    for_lines(*host, lines, index, [&](const auto* ids, std::int64_t begin, std::int64_t end) {
      lines.walk(ids, begin, end,
                 [=](std::int64_t i, std::int64_t t) LOCI_INLINE { out[i] = x[t]; });
    });
  }

  const sdk::Host* host;
  ElementLines lines;
};

class GatherElements final : public sdk::Kernel {
 public:
  explicit GatherElements(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const ElementLines lines(op.input(0).dims(), op.input(1).dims(), axis_);
    visit_bits(sdk::dtype_bytes(op.input(0).dtype()), [&](auto tag) {
      prepare.emplace<TakeElements<typename decltype(tag)::type>>(&prepare.host(), lines);
    });
  }

 private:
  std::int64_t axis_;
};

// Nothing is written before all positions are known to be good: x may be changed in place.
template <class T, class Function>
struct ScatterElements {
  void launch(const Launch& launch) const {
    const IntegerView index(launch.input_view(1));
    const T* x = launch.input<T>(0);
    const T* updates = launch.input<T>(2);
    T* out = launch.output<T>(0);
    lines.check("scatter_elements", *host, index);
    if (out != x) copy(x, out);
    for_lines(*host, lines, index, [&](const auto* ids, std::int64_t begin, std::int64_t end) {
      lines.walk(ids, begin, end, [=](std::int64_t i, std::int64_t t) LOCI_INLINE {
        out[t] = Function::apply(out[t], updates[i]);
      });
    });
  }

  void copy(const T* x, T* out) const {
    host->parallel_for(
        0, count, grain_for(10 * sizeof(T)), [&](std::int64_t begin, std::int64_t end) {
          std::memcpy(out + begin, x + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
        });
  }

  const sdk::Host* host;
  std::int64_t count;  // elements of x
  ElementLines lines;
};

class Scatter final : public sdk::Kernel {
 public:
  explicit Scatter(const OpDesc& op)
      : axis_(op.attributes().integer("axis")), reduction_(op.attributes().text("reduction")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const sdk::Arg x = op.input(0);
    const ElementLines lines(x.dims(), op.input(1).dims(), axis_);
    visit_scatter(reduction_, x.dtype(), [&](auto tag, auto function) {
      using Work = ScatterElements<typename decltype(tag)::type, decltype(function)>;
      const Work work{&prepare.host(), x.numel(), lines};
      if (widens_halves(reduction_, x.dtype())) {
        emplace_widened(prepare, {3}, 0, work);
      } else {
        prepare.emplace<Work>(work);
      }
    });
  }

 private:
  std::int64_t axis_;
  std::string reduction_;  // "none" of bool, as the schema has seen to
};

// Input 0 is the gradient of the result. Which element of the index was the last for an element of
// that is found by writing all of them: the workspace has an int64 for each.
template <class T>
struct LastElements {
  void launch(const Launch& launch) const {
    const IntegerView index(launch.input_view(1));
    const T* out_grad = launch.input<T>(0);
    T* updates_grad = launch.output<T>(0);
    auto* last = launch.workspace<std::int64_t>();
    lines.check("scatter_elements_grad", *host, index);
    for_lines(*host, lines, index, [&](const auto* ids, std::int64_t begin, std::int64_t end) {
      lines.walk(ids, begin, end, [=](std::int64_t i, std::int64_t t) LOCI_INLINE { last[t] = i; });
      lines.walk(ids, begin, end, [=](std::int64_t i, std::int64_t t) LOCI_INLINE {
        updates_grad[i] = last[t] == i ? out_grad[t] : T{0};
      });
    });
  }

  const sdk::Host* host;
  ElementLines lines;
};

class ScatterElementsGrad final : public sdk::Kernel {
 public:
  explicit ScatterElementsGrad(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const sdk::Arg out_grad = op.input(0);
    const ElementLines lines(out_grad.dims(), op.input(1).dims(), axis_);
    prepare.set_workspace(static_cast<std::uint64_t>(out_grad.numel()) * sizeof(std::int64_t));
    visit_bits(sdk::dtype_bytes(out_grad.dtype()), [&](auto tag) {
      prepare.emplace<LastElements<typename decltype(tag)::type>>(&prepare.host(), lines);
    });
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_gather_elements(KernelDefs& kernels) {
  kernels.push_back({.op = "gather_elements",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<GatherElements>});
  kernels.push_back({.op = "scatter_elements",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<Scatter>,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "scatter_elements_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<ScatterElementsGrad>});
}

}  // namespace loci::kernels
