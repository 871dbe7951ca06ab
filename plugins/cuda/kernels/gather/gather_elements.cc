// gather_elements, by element_rows.cu, and scatter_elements with the gradient of what is written,
// by scatter_rows.cu too.
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/gather/element_places.h"
#include "kernels/gather/row_scatter.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/move/device_copy.h"

extern "C" const unsigned long long loci_cuda_element_rows[];

namespace loci::cuda {
namespace {

constexpr KernelImage kElementRowsImage{"element_rows", loci_cuda_element_rows};

// Input 0 of the op is the table, input 1 the index.
ElementPlaces places_of(const sdk::Prepare& prepare, std::int64_t axis_attribute,
                        const char* argument) {
  const sdk::Dims table = prepare.op().input(0).dims();
  const sdk::Dims index = prepare.op().input(1).dims();
  const std::size_t at = sdk::axis_index(axis_attribute, table.size());
  const sdk::Strides strides = sdk::dense_strides(table);
  ElementPlaces places{};
  places.count = sdk::numel_of(index);
  places.extent = table[at];
  places.step = strides[at];
  places.rank = static_cast<std::int32_t>(index.size());
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    places.extents[axis] = fast_divmod_of(index[axis]);
    places.steps[axis] = axis == at ? 0 : strides[axis];
  }
  places.watch = sdk::device_of<Device>(prepare.device()).index_record().watch(argument);
  return places;
}

struct TakeElements {
  void launch(const sdk::Launch& launch) const {
    take.launch(launch, places.count, launch.input<void>(0), launch.input<void>(1),
                launch.output<void>(0), places);
  }
  KernelFunction take;
  ElementPlaces places;
};

class GatherElements final : public sdk::Kernel {
 public:
  explicit GatherElements(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const std::string stem =
        "take_elements_" + std::to_string(sdk::dtype_bytes(op.input(0).dtype()));
    prepare.emplace<TakeElements>(
        KernelFunction(prepare, kElementRowsImage, typed_name(stem, op.input(1).dtype())),
        places_of(prepare, axis_, "index of gather_elements"));
  }

 private:
  std::int64_t axis_;
};

// Writes the updates, input 2, into a copy of x.
struct WriteElements {
  void launch(const sdk::Launch& launch) const {
    void* out = launch.output<void>(0);
    copy_on_device(*device, launch, launch.input<void>(0), out, bytes);
    find.launch(launch, places.count, launch.input<void>(1), launch.workspace<std::int64_t>(),
                places);
    scatter.launch(launch, launch.input<void>(2), out);
  }
  Device* device;
  std::uint64_t bytes;  // of x
  KernelFunction find;
  ElementPlaces places;
  RowScatter scatter;
};

// Takes out_grad, input 0, where updates were written last.
struct TakeWritten {
  void launch(const sdk::Launch& launch) const {
    find.launch(launch, places.count, launch.input<void>(1), launch.workspace<std::int64_t>(),
                places);
    scatter.launch(launch, launch.input<void>(0), launch.output<void>(0));
  }
  KernelFunction find;
  ElementPlaces places;
  RowScatter scatter;
};

KernelFunction finding(const sdk::Prepare& prepare) {
  return {prepare, kElementRowsImage, typed_name("element_rows", prepare.op().input(1).dtype())};
}

class ScatterElements final : public sdk::Kernel {
 public:
  explicit ScatterElements(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("axis")), reduction_(op.attributes().text("reduction")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    const ElementPlaces places = places_of(prepare, axis_, "index of scatter_elements");
    prepare.set_workspace(RowScatter::workspace_bytes(places.count));
    prepare.emplace<WriteElements>(
        &sdk::device_of<Device>(prepare.device()),
        static_cast<std::uint64_t>(x.numel()) * sdk::dtype_bytes(x.dtype()), finding(prepare),
        places,
        RowScatter(prepare, RowScatter::Kind::kUpdates, reduction_, {places.count, 1}, x.numel()));
  }

 private:
  std::int64_t axis_;
  std::string reduction_;
};

class ScatterElementsGrad final : public sdk::Kernel {
 public:
  explicit ScatterElementsGrad(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const ElementPlaces places = places_of(prepare, axis_, "index of scatter_elements_grad");
    prepare.set_workspace(RowScatter::workspace_bytes(places.count));
    prepare.emplace<TakeWritten>(finding(prepare), places,
                                 RowScatter(prepare, RowScatter::Kind::kGradient, "none",
                                            {places.count, 1}, prepare.op().input(0).numel()));
  }

 private:
  std::int64_t axis_;
};

std::string scatter_refusal(const sdk::OpDesc& op) {
  if (!op.input(0).has_dims() || !op.input(1).has_dims()) return {};
  return RowSort::refusal(op.input(0).numel(), op.input(1).numel());
}

}  // namespace

void add_gather_elements(Kernels& kernels) {
  kernels.push_back(enqueuing("gather_elements", sdk::kAllBits, sdk::make_kernel<GatherElements>));
  sdk::KernelDef scatter =
      enqueuing("scatter_elements", sdk::kAllBits, sdk::make_kernel<ScatterElements>, {{0, 0}});
  sdk::KernelDef gradient =
      enqueuing("scatter_elements_grad", sdk::kFloatBits, sdk::make_kernel<ScatterElementsGrad>);
  scatter.supports = scatter_refusal;
  gradient.supports = scatter_refusal;
  kernels.push_back(std::move(scatter));
  kernels.push_back(std::move(gradient));
}

}  // namespace loci::cuda
