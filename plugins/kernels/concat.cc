// concat and stack, which put pieces together, and split, unstack and concat_grad, which take them
// apart: a piece is, for each position before the axis, one run of the whole.
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/strided_copy.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;
using sdk::StridedCopyPlan;

struct Piece {
  StridedCopyPlan copy;
  std::int64_t offset;  // of the first run in the whole, bytes
};

struct Join {
  void launch(const Launch& launch) const {
    auto* whole = launch.output<char>(0);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].copy.empty()) continue;
      copy_strided(*host, pieces[i].copy, launch.input<char>(static_cast<std::uint32_t>(i)),
                   whole + pieces[i].offset);
    }
  }
  const sdk::Host* host;
  std::vector<Piece> pieces;
};

struct Part {
  void launch(const Launch& launch) const {
    const auto* whole = launch.input<char>(0);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].copy.empty()) continue;
      copy_strided(*host, pieces[i].copy, whole + pieces[i].offset,
                   launch.output<char>(static_cast<std::uint32_t>(i)));
    }
  }
  const sdk::Host* host;
  std::vector<Piece> pieces;
};

template <bool joins>
class Concat final : public sdk::Kernel {
 public:
  explicit Concat(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    std::vector<Piece> pieces;
    std::int64_t offset = 0;
    const std::uint32_t count = joins ? op.input_count(0) : op.output_count(0);
    for (std::uint32_t i = 0; i < count; ++i) {
      pieces.push_back(piece(joins ? op.input(0, i) : op.output(0, i),
                             joins ? op.output(0) : op.input(0), &offset));
    }
    if constexpr (joins) {
      prepare.emplace<Join>(&prepare.host(), std::move(pieces));
    } else {
      prepare.emplace<Part>(&prepare.host(), std::move(pieces));
    }
  }

 private:
  [[nodiscard]] Piece piece(const sdk::Arg& part, const sdk::Arg& whole,
                            std::int64_t* offset) const {
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(whole.dtype()));
    const std::size_t axis = sdk::axis_index(axis_, whole.dims().size());
    std::int64_t runs = 1;
    for (std::size_t i = 0; i < axis; ++i) runs *= whole.dims()[i];
    if (runs == 0 || part.numel() == 0) return {StridedCopyPlan(0).resolve(), 0};
    const std::int64_t run = part.numel() / runs;
    const std::int64_t row = whole.numel() / runs;
    StridedCopyPlan copy(bytes);
    copy.axis(runs, (joins ? run : row) * bytes, (joins ? row : run) * bytes);
    copy.axis(run, bytes, bytes);
    const std::int64_t begin = *offset;
    *offset += run * bytes;
    return {copy.resolve(), begin};
  }

  std::int64_t axis_;
};

void add(KernelDefs& kernels, std::string_view op, sdk::CreateFn create) {
  kernels.push_back({.op = op, .name = kPortable, .dtypes = sdk::kAllBits, .create = create});
}

}  // namespace

void add_concat(KernelDefs& kernels) {
  for (const char* op : {"concat", "stack"}) add(kernels, op, sdk::make_kernel<Concat<true>>);
  for (const char* op : {"concat_grad", "split", "unstack"}) {
    add(kernels, op, sdk::make_kernel<Concat<false>>);
  }
}

}  // namespace loci::kernels
