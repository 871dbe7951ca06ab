// sgd, momentum and adam on dense and row-sparse gradients, and increment.
#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/op_options.hpp>
#include <type_traits>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/row_block.h"
#include "plugins/kernels/row_ids.h"
#include "plugins/kernels/update_rules.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

template <class T>
constexpr std::int64_t kUpdateGrain = grain_for(sdk::is_half<T> ? 250 : 60 * sizeof(T));

// State that an op updates is the memory of its input.
template <class T, class Rule>
struct DenseUpdate {
  void launch(const Launch& launch) const {
    const Rule rule(launch, options);
    const T* grad = launch.input<T>(1);
    host->parallel_for(0, count, kUpdateGrain<T>, [&](std::int64_t begin, std::int64_t end) {
      run(rule, begin, end - begin, grad + begin);
    });
  }

  // Out of line: blocks of halves use it too.
  __attribute__((noinline)) static void run(const Rule& rule, std::int64_t offset,
                                            std::int64_t length, const T* grad) {
    run_widest([&](auto) LOCI_INLINE { rule.update(offset, length, grad); });
  }

  const sdk::Host* host;
  std::int64_t count;
  typename Rule::Options options;
};

// The state of halves is float32; so are blocks of the parameter and its gradient.
template <class Half, class Rule>
struct HalfUpdate {
  static constexpr std::int64_t kBlock = 1024;

  void launch(const Launch& launch) const {
    const Rule rule(launch, options);
    Half* param = launch.output<Half>(0);
    const Half* grad = launch.input<Half>(1);
    host->parallel_for(0, count, kUpdateGrain<Half>, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; begin += kBlock) {
        run(rule, begin, std::min(kBlock, end - begin), param + begin, grad + begin);
      }
    });
  }

  static void run(const Rule& rule, std::int64_t offset, std::int64_t length, Half* param,
                  const Half* grad) {
    alignas(64) float wide_param[kBlock];
    alignas(64) float wide_grad[kBlock];
    widen(param, wide_param, length);
    widen(grad, wide_grad, length);
    DenseUpdate<float, Rule>::run(rule.at(offset, wide_param), 0, length, wide_grad);
    narrow(wide_param, param, length);
  }

  const sdk::Host* host;
  std::int64_t count;
  typename Rule::Options options;
};

// Row i of the gradient is that of row rows[i] of the parameter; rows that occur several times are
// summed first. Lazy: rows that do not occur keep their state; otherwise they see a gradient of 0.
template <class T, class Rule>
struct RowsUpdate {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    const Rule rule(launch, options);
    const T* grad = launch.input<T>(1);
    const IntegerView ids(launch.input_view(Rule::kRows));
    check_row_ids("rows of a gradient", ids, count, rows, kNoRow);
    const RowKeys keys = sort_row_ids(ids, count, rows, launch.workspace<RowKey>());
    if (options.lazy) {
      update_touched(rule, keys, grad);
    } else {
      update_all(rule, keys, grad);
    }
  }

  void update_touched(const Rule& rule, const RowKeys& keys, const T* grad) const {
    host->parallel_for(0, keys.count, row_grain(), [&](std::int64_t begin, std::int64_t end) {
      const RowKeyRange range = rows_that_begin_in(keys, begin, end);
      run_widest([&](auto) LOCI_INLINE {
        for (const RowKey* first = range.first; first != range.last;) {
          const RowKey* last = end_of_row(first, range.last);
          prefetch(rule.param, last, range.last);
          update_row(rule, row_of(*first), first, last, grad);
          first = last;
        }
      });
    });
  }

  void update_all(const Rule& rule, const RowKeys& keys, const T* grad) const {
    host->parallel_for(0, rows, row_grain(), [&](std::int64_t begin, std::int64_t end) {
      const RowKey* stop = keys.data + keys.count;
      const RowKey* first = std::lower_bound(keys.data, stop, static_cast<RowKey>(begin) << 32);
      run_widest([&](auto) LOCI_INLINE {
        for (std::int64_t row = begin; row < end; ++row) {
          const bool occurs = first != stop && row_of(*first) == row;
          const RowKey* last = occurs ? end_of_row(first, stop) : first;
          update_row(rule, row, first, last, grad);
          first = last;
        }
      });
    });
  }

  LOCI_INLINE static const RowKey* end_of_row(const RowKey* first, const RowKey* stop) {
    const std::int64_t row = row_of(*first);
    do ++first;
    while (first != stop && row_of(*first) == row);
    return first;
  }

  // Prefetches a row of the parameter that comes soon.
  LOCI_INLINE void prefetch(const T* param, const RowKey* next, const RowKey* stop) const {
    constexpr std::int64_t kAhead = 6;
    if (stop - next < kAhead) return;
    prefetch_row(param + row_of(next[kAhead - 1]) * width, width * std::int64_t{sizeof(T)});
  }

  LOCI_INLINE void update_row(const Rule& rule, std::int64_t row, const RowKey* first,
                              const RowKey* last, const T* grad) const {
    if (last - first == 1) {
      return rule.update(row * width, width, grad + position_of(*first) * width);
    }
    C sum[kRowBlock];
    for (std::int64_t column = 0; column < width; column += kRowBlock) {
      const std::int64_t block = std::min(kRowBlock, width - column);
      sum_row_block(first, last, grad, width, column, block, sum);
      rule.update(row * width + column, block, sum);
    }
  }

  [[nodiscard]] std::int64_t row_grain() const {
    return std::max<std::int64_t>(1, kUpdateGrain<T> / std::max<std::int64_t>(width, 1));
  }

  const sdk::Host* host;
  std::int64_t count;  // of row ids
  std::int64_t rows;
  std::int64_t width;
  typename Rule::Options options;
};

// Rule: a class template of the parameter's type.
template <template <class> class Rule>
class Update final : public sdk::Kernel {
  using Options = typename Rule<float>::Options;
  static constexpr std::uint32_t kRows = Rule<float>::kRows;

 public:
  explicit Update(const OpDesc& op) : options_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (prepare.op().has_input(kRows)) {
        emplace_rows<T>(prepare);
      } else {
        using C = sdk::compute_t<T>;
        using Dense =
            std::conditional_t<sdk::is_half<T>, HalfUpdate<T, Rule<C>>, DenseUpdate<T, Rule<C>>>;
        prepare.emplace<Dense>(&prepare.host(), prepare.op().input(0).numel(), options_);
      }
    });
  }

  static std::string supports(const OpDesc& op) {
    const auto param = op.input(0);
    if (op.input(1).dtype() != param.dtype()) return "parameter and gradient differ in dtype";
    if (op.input(Rule<float>::kRate).dtype() != LOCI_DTYPE_F32) {
      return "the learning rate is not float32";
    }
    if (!op.has_input(kRows) || !param.has_dims() || !op.input(kRows).has_dims()) return {};
    return row_keys_refusal(param.dim(0), op.input(kRows).numel());
  }

 private:
  template <class T>
  void emplace_rows(Prepare& prepare) const {
    const auto param = prepare.op().input(0);
    const std::int64_t count = prepare.op().input(kRows).numel();
    prepare.set_workspace(row_keys_bytes(count));
    const std::int64_t rows = param.dim(0);
    prepare.emplace<RowsUpdate<T, Rule<T>>>(&prepare.host(), count, rows,
                                            rows == 0 ? 0 : param.numel() / rows, options_);
  }

  Options options_;
};

// out is the memory of x. Wraps, as int64 arithmetic of the other operators does.
struct Increment {
  void launch(const Launch& launch) const noexcept {
    auto* out = launch.output<std::int64_t>(0) + first;
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(out[i]) +
                                         static_cast<std::uint64_t>(step));
    }
  }
  std::int64_t step;
  std::int64_t first;
  std::int64_t count;
};

class IncrementKernel final : public sdk::Kernel {
 public:
  explicit IncrementKernel(const OpDesc& op) : options_(op.attributes()) {}
  void prepare(Prepare& prepare) const override {
    const std::int64_t all = prepare.op().input(0).numel();
    prepare.emplace<Increment>(options_.step, options_.first, options_.count(all));
  }

 private:
  sdk::IncrementOptions options_;
};

template <template <class> class Rule>
void add_update(KernelDefs& kernels, std::string_view op) {
  kernels.push_back({.op = op,
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Update<Rule>>,
                     .supports = Update<Rule>::supports});
}

}  // namespace

void add_optimizer(KernelDefs& kernels) {
  add_update<SgdRule>(kernels, "sgd");
  add_update<MomentumRule>(kernels, "momentum");
  add_update<AdamRule>(kernels, "adam");
  kernels.push_back({.op = "increment",
                     .name = kPortable,
                     .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_I64),
                     .create = sdk::make_kernel<IncrementKernel>});
}

}  // namespace loci::kernels
