// slice and crop_tensor, their gradients, which put a part back among zeros, and set_slice.
#include <loci/plugin/dtype_visit.hpp>
#include <numeric>

#include "device.h"
#include "kernels/kernel_list.h"
#include "kernels/move/device_copy.h"
#include "kernels/move/part.h"
#include "kernels/move/strided_copy.h"

namespace loci::cuda {
namespace {

using sdk::StridedCopyPlan;
using Integers = std::vector<std::int64_t>;

StridedCopyPlan plan_of(sdk::Dims dims, std::int64_t bytes, const sdk::Strides& from,
                        const sdk::Strides& to) {
  StridedCopyPlan copy(bytes);
  for (std::size_t i = 0; i < dims.size(); ++i) copy.axis(dims[i], from[i], to[i]);
  return copy.resolve();
}

struct TakePart {
  void launch(const sdk::Launch& launch) const {
    if (copy.empty()) return;
    copier.launch(launch, copy, launch.input<char>(0) + part.offset(launch, starts),
                  launch.output<char>(0));
  }
  StridedCopier copier;
  Part part;
  Bounds starts;
  StridedCopyPlan copy;
};

struct PutPart {
  void launch(const sdk::Launch& launch) const {
    auto* whole = launch.output<char>(0);
    fill_on_device(*device, launch, whole, 0, bytes);
    if (copy.empty()) return;
    copier.launch(launch, copy, launch.input<char>(input), whole + part.offset(launch, starts));
  }
  Device* device;
  std::uint64_t bytes;  // of the whole
  std::uint32_t input;
  StridedCopier copier;
  Part part;
  Bounds starts;
  StridedCopyPlan copy;
};

// Where the part of an operator lies.
struct PartAttributes {
  Integers axes;
  Integers starts;
  Integers steps;
};

void prepare_take(sdk::Prepare& prepare, const PartAttributes& attributes) {
  const sdk::OpDesc& op = prepare.op();
  const sdk::Dims out = op.output(0).dims();
  const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(op.output(0).dtype()));
  const Part part(op.input(0).dims(), bytes, attributes.axes, attributes.steps);
  prepare.emplace<TakePart>(StridedCopier(prepare), part, Bounds(op, 1, attributes.starts),
                            plan_of(out, bytes, part.strides(), sdk::dense_strides(out, bytes)));
}

void prepare_put(sdk::Prepare& prepare, const PartAttributes& attributes, std::uint32_t slot) {
  const sdk::OpDesc& op = prepare.op();
  const sdk::Arg whole = op.output(0);
  const sdk::Dims dims = op.input(slot).dims();
  const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(whole.dtype()));
  const Part part(whole.dims(), bytes, attributes.axes, attributes.steps);
  prepare.emplace<PutPart>(&sdk::device_of<Device>(prepare.device()),
                           static_cast<std::uint64_t>(whole.numel() * bytes), op.input_index(slot),
                           StridedCopier(prepare), part, Bounds(op, 1, attributes.starts),
                           plan_of(dims, bytes, sdk::dense_strides(dims, bytes), part.strides()));
}

// Inputs x, starts_tensor, ends_tensor, and out_grad of the gradient.
template <bool is_gradient>
class Slice final : public sdk::Kernel {
 public:
  explicit Slice(const sdk::OpDesc& op)
      : attributes_{op.attributes().integers("axes"), op.attributes().integers("starts"),
                    op.attributes().integers("steps")} {}

  void prepare(sdk::Prepare& prepare) const override {
    is_gradient ? prepare_put(prepare, attributes_, 3) : prepare_take(prepare, attributes_);
  }

 private:
  PartAttributes attributes_;
};

// Inputs x, offsets_tensor, and shape_tensor, or out_grad of the gradient.
template <bool is_gradient>
class Crop final : public sdk::Kernel {
 public:
  explicit Crop(const sdk::OpDesc& op) : offsets_(op.attributes().integers("offsets")) {}

  void prepare(sdk::Prepare& prepare) const override {
    PartAttributes attributes{Integers(prepare.op().output(0).dims().size()), offsets_, {}};
    std::iota(attributes.axes.begin(), attributes.axes.end(), 0);
    is_gradient ? prepare_put(prepare, attributes, 2) : prepare_take(prepare, attributes);
  }

 private:
  Integers offsets_;
};

// Replaces a part of x by y. In place only the part is written.
struct ReplacePart {
  void launch(const sdk::Launch& launch) const {
    auto* out = launch.output<char>(0);
    copy_on_device(*device, launch, launch.input<char>(0), out, bytes);
    const StridedCopyPlan copy =
        plan_of(part.extents(launch, starts, ends), element, part_strides, part.strides());
    if (copy.empty()) return;
    copier.launch(launch, copy, launch.input<char>(input), out + part.offset(launch, starts));
  }
  Device* device;
  std::uint64_t bytes;  // of the whole
  std::int64_t element;
  std::uint32_t input;
  StridedCopier copier;
  Part part;
  sdk::Strides part_strides;  // of y; 0 where it is repeated
  Bounds starts;
  Bounds ends;
};

// The last dimensions of both belong together.
sdk::Strides repeated_strides(sdk::Dims y, std::size_t rank, std::int64_t bytes) {
  const sdk::Strides dense = sdk::dense_strides(y, bytes);
  sdk::Strides strides{};
  for (std::size_t i = 0; i < y.size(); ++i) {
    strides[rank - y.size() + i] = y[i] == 1 ? 0 : dense[i];
  }
  return strides;
}

// Inputs x, starts_tensor, ends_tensor and y.
class SetSlice final : public sdk::Kernel {
 public:
  explicit SetSlice(const sdk::OpDesc& op)
      : axes_(op.attributes().integers("axes")),
        starts_(op.attributes().integers("starts")),
        ends_(op.attributes().integers("ends")),
        steps_(op.attributes().integers("steps")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::Arg x = op.input(0);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
    prepare.emplace<ReplacePart>(
        &sdk::device_of<Device>(prepare.device()), static_cast<std::uint64_t>(x.numel() * bytes),
        bytes, op.input_index(3), StridedCopier(prepare), Part(x.dims(), bytes, axes_, steps_),
        repeated_strides(op.input(3).dims(), x.dims().size(), bytes), Bounds(op, 1, starts_),
        Bounds(op, 2, ends_));
  }

 private:
  Integers axes_;
  Integers starts_;
  Integers ends_;
  Integers steps_;
};

}  // namespace

void add_slice(Kernels& kernels) {
  kernels.push_back(enqueuing("slice", sdk::kAllBits, sdk::make_kernel<Slice<false>>));
  kernels.push_back(enqueuing("slice_grad", sdk::kAllBits, sdk::make_kernel<Slice<true>>));
  kernels.push_back(enqueuing("set_slice", sdk::kAllBits, sdk::make_kernel<SetSlice>, {{0, 0}}));
  kernels.push_back(enqueuing("crop_tensor", sdk::kAllBits, sdk::make_kernel<Crop<false>>));
  kernels.push_back(enqueuing("crop_tensor_grad", sdk::kAllBits, sdk::make_kernel<Crop<true>>));
}

}  // namespace loci::cuda
