// pad, row by row of the result, each byte of which is written once, and pad_grad, row by row of x.
#include <algorithm>
#include <array>
#include <cstring>
#include <loci/plugin/op_options.hpp>
#include <loci/plugin/pad_plan.hpp>
#include <type_traits>
#include <vector>

#include "plugins/kernels/convert.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/pad_runs.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::PadMode;
using sdk::PadPlan;
using sdk::Prepare;

// Picoseconds that moving a byte takes, and beginning a unit.
constexpr std::int64_t kPadByteTime = 60;
constexpr std::int64_t kPadUnitTime = 500;

// Bits is an unsigned type with as many bytes as an element; a unit is one or several elements.
template <class Bits>
struct Pad {
  void launch(const Launch& launch) const {
    if (plan.is_empty()) return;
    const char* x = launch.input<char>(0);
    char* out = launch.output<char>(0);
    host->parallel_for(
        0, plan.padded_rows() * plan.row().padded,
        grain_for(kPadUnitTime + kPadByteTime * plan.unit()),
        [&](std::int64_t begin, std::int64_t end) { write_units(x, out, begin, end); });
  }

  void write_units(const char* x, char* out, std::int64_t begin, std::int64_t end) const {
    const std::int64_t length = plan.row().padded;
    PadRowCursor row(plan, begin / length);
    for (std::int64_t at = begin % length; begin < end; at = 0, row.next()) {
      const std::int64_t count = std::min(length - at, end - begin);
      char* to = out + begin * plan.unit();
      if (row.is_in_x()) {
        write_row(x + row.offset(), to, at, at + count);
      } else {
        fill(to, count);
      }
      begin += count;
    }
  }

  // The units [begin, end) of a row, at `to`.
  void write_row(const char* x, char* to, std::int64_t begin, std::int64_t end) const {
    visit_pad_runs(plan.row(), plan.mode(), begin, end, [&](const PadRun& run) {
      char* target = to + (run.at - begin) * plan.unit();
      if (run.source < 0) return fill(target, run.count);
      const char* source = x + run.source * plan.unit();
      if (run.step == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(run.count * plan.unit()));
      } else if (plan.unit() == sizeof(Bits)) {
        repeat_elements(source, target, run);
      } else {
        repeat_units(source, target, run);
      }
    });
  }

  void fill(char* to, std::int64_t units) const {
    auto* elements = reinterpret_cast<Bits*>(to);
    std::fill_n(elements, units * (plan.unit() / static_cast<std::int64_t>(sizeof(Bits))), value);
  }

  static void repeat_elements(const char* from, char* to, const PadRun& run) {
    const auto* source = reinterpret_cast<const Bits*>(from);
    auto* target = reinterpret_cast<Bits*>(to);
    if (run.step == 0) {
      std::fill_n(target, run.count, *source);
    } else {
      for (std::int64_t i = 0; i < run.count; ++i) target[i] = source[-i];
    }
  }

  void repeat_units(const char* from, char* to, const PadRun& run) const {
    const std::int64_t unit = plan.unit();
    for (std::int64_t i = 0; i < run.count; ++i) {
      std::memcpy(to + i * unit, from + i * run.step * unit, static_cast<std::size_t>(unit));
    }
  }

  const sdk::Host* host;
  PadPlan plan;
  Bits value;
};

// The bits of the constant as an element of T.
template <class T, class Bits>
Bits constant_bits(double value, std::int64_t integer) {
  const T element = integer != 0 ? convert<T>(integer) : convert<T>(value);
  Bits bits = 0;
  static_assert(sizeof bits == sizeof element);
  std::memcpy(&bits, &element, sizeof element);
  return bits;
}

template <std::size_t bytes>
using BitsOf = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

class PadKernel final : public sdk::Kernel {
 public:
  explicit PadKernel(const OpDesc& op) : options_(op.attributes()), constants_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    sdk::visit_all(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Bits = BitsOf<sizeof(T)>;
      prepare.emplace<Pad<Bits>>(
          Pad<Bits>{&prepare.host(), PadPlan(x.dims(), options_.pads, options_.mode, sizeof(T)),
                    constant_bits<T, Bits>(constants_.value, constants_.integer)});
    });
  }

 private:
  sdk::PadOptions options_;
  sdk::PadConstants constants_;
};

// Elements of x whose sums a thread keeps while it goes over all places where they went.
constexpr std::int64_t kSummedElements = sdk::PadPlan::kLongRun;
constexpr std::int64_t kWorthWidening = 16;  // halves

// The sums of a block of a row of x, in the order of the places.
template <class T>
struct PadGrad {
  using Sum = sdk::compute_t<T>;
  using Sums = std::array<Sum, kSummedElements>;

  void launch(const Launch& launch) const {
    const T* grad = launch.input<T>(1);
    T* out = launch.output<T>(0);
    if (plan.is_empty()) return clear(out);
    const std::int64_t blocks = (plan.row().extent + block - 1) / block;
    host->parallel_for(0, count == 0 ? 0 : plan.rows() * blocks, grain_for(block * elements * 1000),
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                           sum_block(grad, out, i / blocks, i % blocks * block);
                         }
                       });
  }

  // Nothing is kept of x.
  void clear(T* out) const {
    host->parallel_for(
        0, count, grain_for(20 * sizeof(T)),
        [&](std::int64_t begin, std::int64_t end) { std::fill(out + begin, out + end, T{}); });
  }

  void sum_block(const T* grad, T* out, std::int64_t row, std::int64_t first) const {
    const std::int64_t units = std::min(block, plan.row().extent - first);
    Sums sums;
    std::fill_n(sums.begin(), units * elements, Sum{0});
    visit_padded_rows(plan, row, [&](std::int64_t offset) {
      const T* from = grad + offset / static_cast<std::int64_t>(sizeof(T));
      visit_pad_runs(plan.row(), plan.mode(), 0, plan.row().padded, [&](const PadRun& run) {
        add_run(from + run.at * elements, run, first, first + units, sums);
      });
    });
    store(sums, out + (row * plan.row().extent + first) * elements, units * elements);
  }

  // Adds those elements of the run that are units [first, last) of x.
  void add_run(const T* from, const PadRun& run, std::int64_t first, std::int64_t last,
               Sums& sums) const {
    if (run.step == 1) {
      const std::int64_t begin = std::max(run.source, first);
      const std::int64_t end = std::min(run.source + run.count, last);
      if (begin >= end) return;
      add(from + (begin - run.source) * elements, &sums[index(begin - first)],
          (end - begin) * elements);
    } else if (run.step == 0) {
      if (run.source < first || run.source >= last) return;
      for (std::int64_t i = 0; i < run.count; ++i) {
        add(from + i * elements, &sums[index(run.source - first)], elements);
      }
    } else {
      const std::int64_t begin = std::max<std::int64_t>(run.source - last + 1, 0);
      const std::int64_t end = std::min(run.count, run.source - first + 1);
      for (std::int64_t i = begin; i < end; ++i) {
        add(from + i * elements, &sums[index(run.source - i - first)], elements);
      }
    }
  }

  [[nodiscard]] std::size_t index(std::int64_t unit) const {
    return static_cast<std::size_t>(unit * elements);
  }

  static void add(const T* from, Sum* sums, std::int64_t count) {
    if constexpr (sdk::is_half<T>) {
      if (count >= kWorthWidening) return add_widened(from, sums, count);
    }
    for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<Sum>(from[i]);
  }

  // Through a buffer that the processor converts in bulk.
  static void add_widened(const T* from, Sum* sums, std::int64_t count) {
    std::array<float, 256> wide;
    constexpr auto kMost = static_cast<std::int64_t>(wide.size());
    for (std::int64_t done = 0; done < count; done += kMost) {
      const std::int64_t part = std::min(kMost, count - done);
      widen(from + done, wide.data(), part);
      for (std::int64_t i = 0; i < part; ++i) sums[done + i] += wide[static_cast<std::size_t>(i)];
    }
  }

  static void store(const Sums& sums, T* to, std::int64_t count) {
    if constexpr (std::is_same_v<T, Sum>) {
      std::copy_n(sums.begin(), count, to);
    } else {
      narrow(sums.data(), to, count);
    }
  }

  const sdk::Host* host;
  PadPlan plan;
  std::int64_t count;     // elements of x
  std::int64_t elements;  // of a unit
  std::int64_t block;     // units whose sums are kept at once
};

class PadGradKernel final : public sdk::Kernel {
 public:
  explicit PadGradKernel(const OpDesc& op) : options_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().output(0);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const PadPlan plan(x.dims(), options_.pads, options_.mode, sizeof(T));
      const std::int64_t elements = plan.unit() / static_cast<std::int64_t>(sizeof(T));
      prepare.emplace<PadGrad<T>>(
          PadGrad<T>{&prepare.host(), plan, x.numel(), elements, kSummedElements / elements});
    });
  }

 private:
  sdk::PadOptions options_;
};

}  // namespace

void add_pad(KernelDefs& kernels) {
  kernels.push_back({.op = "pad",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<PadKernel>});
  kernels.push_back({.op = "pad_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<PadGradKernel>});
}

}  // namespace loci::kernels
