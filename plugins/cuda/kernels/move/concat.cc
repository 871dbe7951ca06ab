// concat and stack, which put pieces together, and split, unstack and concat_grad, which take them
// apart: a piece is, for each position before the axis, one run of the whole.
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/kernel_list.h"
#include "kernels/move/strided_copy.h"

namespace loci::cuda {
namespace {

struct Piece {
  sdk::StridedCopyPlan copy;
  std::int64_t offset;  // of the first run in the whole, bytes
};

template <bool joins>
struct Pieces {
  void launch(const sdk::Launch& launch) const {
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      if (piece.copy.empty()) continue;
      if constexpr (joins) {
        copier.launch(launch, piece.copy, launch.input<char>(i),
                      launch.output<char>(0) + piece.offset);
      } else {
        copier.launch(launch, piece.copy, launch.input<char>(0) + piece.offset,
                      launch.output<char>(i));
      }
    }
  }
  StridedCopier copier;
  std::vector<Piece> pieces;
};

// Cuts the whole along an axis, one piece after the other.
template <bool joins>
class Cutter {
 public:
  Cutter(const sdk::Arg& whole, std::int64_t axis)
      : bytes_(static_cast<std::int64_t>(sdk::dtype_bytes(whole.dtype()))),
        runs_(sdk::numel_of(whole.dims().head(sdk::axis_index(axis, whole.dims().size())))),
        row_(runs_ == 0 ? 0 : whole.numel() / runs_) {}

  // The next one, which has so many elements.
  Piece cut(std::int64_t elements) {
    if (runs_ == 0 || elements == 0) return {sdk::StridedCopyPlan(0).resolve(), 0};
    const std::int64_t run = elements / runs_;
    sdk::StridedCopyPlan copy(bytes_);
    copy.axis(runs_, (joins ? run : row_) * bytes_, (joins ? row_ : run) * bytes_);
    copy.axis(run, bytes_, bytes_);
    const std::int64_t begin = offset_;
    offset_ += run * bytes_;
    return {copy.resolve(), begin};
  }

 private:
  std::int64_t bytes_;  // of an element
  std::int64_t runs_;
  std::int64_t row_;  // elements from run to run of the whole
  std::int64_t offset_ = 0;
};

template <bool joins>
class Concat final : public sdk::Kernel {
 public:
  explicit Concat(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    Cutter<joins> cutter(joins ? op.output(0) : op.input(0), axis_);
    std::vector<Piece> pieces;
    const std::uint32_t count = joins ? op.input_count(0) : op.output_count(0);
    for (std::uint32_t i = 0; i < count; ++i) {
      pieces.push_back(cutter.cut((joins ? op.input(0, i) : op.output(0, i)).numel()));
    }
    prepare.emplace<Pieces<joins>>(StridedCopier(prepare), std::move(pieces));
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_concat(Kernels& kernels) {
  for (const char* op : {"concat", "stack"}) {
    kernels.push_back(enqueuing(op, sdk::kAllBits, sdk::make_kernel<Concat<true>>));
  }
  for (const char* op : {"concat_grad", "split", "unstack"}) {
    kernels.push_back(enqueuing(op, sdk::kAllBits, sdk::make_kernel<Concat<false>>));
  }
}

}  // namespace loci::cuda
