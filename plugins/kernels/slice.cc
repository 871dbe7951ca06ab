// slice and crop_tensor, their gradients, which put a part back among zeros, and set_slice.
#include <algorithm>
#include <array>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/slice.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/integer_view.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/strided_copy.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;
using sdk::StridedCopyPlan;
using Integers = std::vector<std::int64_t>;

// An axis along which a part is taken out of the whole.
struct PartAxis {
  std::size_t axis = 0;
  std::int64_t extent = 0;  // of the whole
  std::int64_t stride = 0;  // bytes, of the whole
  std::int64_t step = 1;

  // Where an element is, in bytes, that the bound `start` means.
  [[nodiscard]] std::int64_t offset(std::int64_t start) const {
    return sdk::slice_range(extent, start, 0, step).start * stride;
  }
};

struct PartAxes {
  std::size_t count = 0;
  std::array<PartAxis, LOCI_MAX_RANK> axes{};
};

// Where the part begins in the whole.
struct PartStart {
  [[nodiscard]] std::int64_t operator()(const Launch& launch) const {
    if (!in_tensor) return fixed;
    const IntegerView starts(launch.input_view(1));
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < axes.count; ++i) {
      offset += axes.axes[i].offset(starts[static_cast<std::int64_t>(i)]);
    }
    return offset;
  }

  PartAxes axes;
  bool in_tensor = false;  // the starts are input 1
  std::int64_t fixed = 0;
};

struct TakePart {
  void launch(const Launch& launch) const {
    if (copy.empty()) return;
    copy_strided(*host, copy, launch.input<char>(0) + start(launch), launch.output<char>(0));
  }
  const sdk::Host* host;
  PartStart start;
  StridedCopyPlan copy;
};

struct PutPart {
  void launch(const Launch& launch) const {
    auto* whole = launch.output<char>(0);
    host->parallel_for(0, bytes, grain_for(50), [&](std::int64_t begin, std::int64_t end) {
      std::memset(whole + begin, 0, static_cast<std::size_t>(end - begin));
    });
    if (copy.empty()) return;
    copy_strided(*host, copy, launch.input<char>(part), whole + start(launch));
  }
  const sdk::Host* host;
  std::uint32_t part;  // which input
  std::int64_t bytes;
  PartStart start;
  StridedCopyPlan copy;
};

// The part that both ops share once their attributes are read.
class PartKernel : public sdk::Kernel {
 protected:
  // Axes with their steps, without extents and strides.
  [[nodiscard]] virtual PartAxes axes(std::size_t rank) const = 0;
  // Empty: all 0.
  [[nodiscard]] virtual const Integers& starts() const = 0;

  void prepare_take(Prepare& prepare) const {
    const OpDesc& op = prepare.op();
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(op.output(0).dtype()));
    const sdk::Strides whole = sdk::dense_strides(op.input(0).dims(), bytes);
    const PartStart start = resolve_start(op, op.input(0).dims(), whole);
    const sdk::Strides from = stepped(whole, start.axes);
    const sdk::Strides to = sdk::dense_strides(op.output(0).dims(), bytes);
    prepare.emplace<TakePart>(&prepare.host(), start,
                              copy_of(op.output(0).dims(), bytes, from, to));
  }

  void prepare_put(Prepare& prepare, std::uint32_t part_slot) const {
    const OpDesc& op = prepare.op();
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(op.output(0).dtype()));
    const sdk::Strides whole = sdk::dense_strides(op.output(0).dims(), bytes);
    const PartStart start = resolve_start(op, op.output(0).dims(), whole);
    const sdk::Dims part = op.input(part_slot).dims();
    prepare.emplace<PutPart>(
        &prepare.host(), op.input_index(part_slot), op.output(0).numel() * bytes, start,
        copy_of(part, bytes, sdk::dense_strides(part, bytes), stepped(whole, start.axes)));
  }

 private:
  [[nodiscard]] PartStart resolve_start(const OpDesc& op, sdk::Dims dims,
                                        const sdk::Strides& strides) const {
    PartStart start{axes(dims.size()), op.has_input(1), 0};
    for (std::size_t i = 0; i < start.axes.count; ++i) {
      PartAxis& axis = start.axes.axes[i];
      axis.extent = dims[axis.axis];
      axis.stride = strides[axis.axis];
      if (!start.in_tensor && !starts().empty()) start.fixed += axis.offset(starts()[i]);
    }
    return start;
  }

  static sdk::Strides stepped(sdk::Strides strides, const PartAxes& axes) {
    for (std::size_t i = 0; i < axes.count; ++i) strides[axes.axes[i].axis] *= axes.axes[i].step;
    return strides;
  }

  static StridedCopyPlan copy_of(sdk::Dims dims, std::int64_t bytes, const sdk::Strides& from,
                                 const sdk::Strides& to) {
    StridedCopyPlan copy(bytes);
    for (std::size_t i = 0; i < dims.size(); ++i) copy.axis(dims[i], from[i], to[i]);
    return copy.resolve();
  }
};

// Inputs x, starts_tensor, ends_tensor, and out_grad of the gradient.
template <bool is_gradient>
class Slice final : public PartKernel {
 public:
  explicit Slice(const OpDesc& op)
      : axes_(op.attributes().integers("axes")),
        starts_(op.attributes().integers("starts")),
        steps_(op.attributes().integers("steps")) {}

  void prepare(Prepare& prepare) const override {
    if constexpr (is_gradient) {
      prepare_put(prepare, 3);
    } else {
      prepare_take(prepare);
    }
  }

 private:
  [[nodiscard]] PartAxes axes(std::size_t rank) const override {
    PartAxes result{axes_.size(), {}};
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      result.axes[i].axis = sdk::axis_index(axes_[i], rank);
      if (!steps_.empty()) result.axes[i].step = steps_[i];
    }
    return result;
  }
  [[nodiscard]] const Integers& starts() const override { return starts_; }

  Integers axes_;
  Integers starts_;
  Integers steps_;
};

// Inputs x, offsets_tensor, and shape_tensor, or out_grad of the gradient.
template <bool is_gradient>
class Crop final : public PartKernel {
 public:
  explicit Crop(const OpDesc& op) : offsets_(op.attributes().integers("offsets")) {}

  void prepare(Prepare& prepare) const override {
    if constexpr (is_gradient) {
      prepare_put(prepare, 2);
    } else {
      prepare_take(prepare);
    }
  }

 private:
  [[nodiscard]] PartAxes axes(std::size_t rank) const override {
    PartAxes result{rank, {}};
    for (std::size_t i = 0; i < result.count; ++i) result.axes[i].axis = i;
    return result;
  }
  [[nodiscard]] const Integers& starts() const override { return offsets_; }

  Integers offsets_;
};

// Bounds along the axes of a slice: fixed, or in a tensor.
struct Bounds {
  [[nodiscard]] std::int64_t at(const Launch& launch, std::size_t i) const {
    return in_tensor ? IntegerView(launch.input_view(input))[static_cast<std::int64_t>(i)]
                     : fixed[i];
  }

  bool in_tensor = false;
  std::uint32_t input = 0;
  std::array<std::int64_t, LOCI_MAX_RANK> fixed{};
};

// Replaces a part of x by y. In place only the part is written.
struct ReplacePart {
  void launch(const Launch& launch) const {
    const char* x = launch.input<char>(0);
    char* out = launch.output<char>(0);
    if (out != x) {
      host->parallel_for(0, bytes, grain_for(10), [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(out + begin, x + begin, static_cast<std::size_t>(end - begin));
      });
    }
    std::int64_t offset = 0;
    const StridedCopyPlan copy = find_part(launch, &offset);
    if (!copy.empty()) copy_strided(*host, copy, launch.input<char>(part), out + offset);
  }

  StridedCopyPlan find_part(const Launch& launch, std::int64_t* offset) const {
    std::array<sdk::SliceRange, LOCI_MAX_RANK> ranges;
    for (std::size_t i = 0; i < rank; ++i) ranges[i] = {0, 1, extents[i]};
    for (std::size_t i = 0; i < axes.count; ++i) {
      const PartAxis& axis = axes.axes[i];
      ranges[axis.axis] =
          sdk::slice_range(extents[axis.axis], starts.at(launch, i), ends.at(launch, i), axis.step);
    }
    StridedCopyPlan copy(element);
    for (std::size_t i = 0; i < rank; ++i) {
      *offset += ranges[i].start * strides[i];
      copy.axis(ranges[i].count, part_strides[i], strides[i] * ranges[i].step);
    }
    return copy.resolve();
  }

  const sdk::Host* host;
  std::uint32_t part;  // which input
  std::int64_t bytes;
  std::int64_t element;
  std::size_t rank;
  std::array<std::int64_t, LOCI_MAX_RANK> extents{};
  std::array<std::int64_t, LOCI_MAX_RANK> strides{};       // of x, in bytes
  std::array<std::int64_t, LOCI_MAX_RANK> part_strides{};  // of y; 0 where it is repeated
  PartAxes axes;
  Bounds starts;
  Bounds ends;
};

// Inputs x, starts_tensor, ends_tensor and y.
class SetSlice final : public sdk::Kernel {
 public:
  explicit SetSlice(const OpDesc& op)
      : axes_(op.attributes().integers("axes")),
        starts_(op.attributes().integers("starts")),
        ends_(op.attributes().integers("ends")),
        steps_(op.attributes().integers("steps")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const sdk::Dims x = op.input(0).dims();
    ReplacePart replace{};
    replace.host = &prepare.host();
    replace.part = op.input_index(3);
    replace.element = static_cast<std::int64_t>(sdk::dtype_bytes(op.output(0).dtype()));
    replace.bytes = op.output(0).numel() * replace.element;
    replace.rank = x.size();
    const sdk::Strides strides = sdk::dense_strides(x, replace.element);
    for (std::size_t i = 0; i < x.size(); ++i) {
      replace.extents[i] = x[i];
      replace.strides[i] = strides[i];
    }
    align(op.input(3).dims(), &replace);
    replace.axes.count = axes_.size();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      replace.axes.axes[i].axis = sdk::axis_index(axes_[i], x.size());
      if (!steps_.empty()) replace.axes.axes[i].step = steps_[i];
    }
    replace.starts = bounds_of(op, 1, starts_);
    replace.ends = bounds_of(op, 2, ends_);
    prepare.emplace<ReplacePart>(replace);
  }

 private:
  // The last dimensions of both belong together.
  static void align(sdk::Dims y, ReplacePart* replace) {
    const sdk::Strides strides = sdk::dense_strides(y, replace->element);
    const std::size_t more = replace->rank - y.size();
    for (std::size_t i = 0; i < y.size(); ++i) {
      replace->part_strides[more + i] = y[i] == 1 ? 0 : strides[i];
    }
  }

  static Bounds bounds_of(const OpDesc& op, std::uint32_t slot, const Integers& fixed) {
    Bounds bounds;
    bounds.in_tensor = op.has_input(slot);
    if (bounds.in_tensor) bounds.input = op.input_index(slot);
    std::copy(fixed.begin(), fixed.end(), bounds.fixed.begin());
    return bounds;
  }

  Integers axes_;
  Integers starts_;
  Integers ends_;
  Integers steps_;
};

void add(KernelDefs& kernels, std::string_view op, sdk::CreateFn create) {
  kernels.push_back({.op = op, .name = kPortable, .dtypes = sdk::kAllBits, .create = create});
}

}  // namespace

void add_slice(KernelDefs& kernels) {
  add(kernels, "slice", sdk::make_kernel<Slice<false>>);
  add(kernels, "slice_grad", sdk::make_kernel<Slice<true>>);
  kernels.push_back({.op = "set_slice",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<SetSlice>,
                     .aliases = {{0, 0}}});
  add(kernels, "crop_tensor", sdk::make_kernel<Crop<false>>);
  add(kernels, "crop_tensor_grad", sdk::make_kernel<Crop<true>>);
}

}  // namespace loci::kernels
