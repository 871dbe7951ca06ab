// cumsum and cumprod. A line belongs to one thread, and the order within it is the same on every
// processor.
#include <algorithm>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 500;  // of one element

struct Add {
  static constexpr int kNeutral = 0;
  template <class State>
  LOCI_INLINE static State apply(State x, State y) {
    if constexpr (std::is_integral_v<State>) {
      return static_cast<State>(static_cast<wrapping_t<State>>(x) + y);
    } else {
      return x + y;
    }
  }
  template <class Vector>
  LOCI_INLINE static void apply_lanes(Vector& x, const Vector& y) {
    x += y;
  }
};

struct Multiply {
  static constexpr int kNeutral = 1;
  template <class State>
  LOCI_INLINE static State apply(State x, State y) {
    if constexpr (std::is_integral_v<State>) {
      return static_cast<State>(static_cast<wrapping_t<State>>(x) * y);
    } else {
      return x * y;
    }
  }
  template <class Vector>
  LOCI_INLINE static void apply_lanes(Vector& x, const Vector& y) {
    x *= y;
  }
};

// Four floats of a line in a register, as doubles: what they wait for is one addition, or product.
// Vectors go by reference: by value their way depends on the instruction set.
template <class Op>
struct Lanes {
  static constexpr std::int64_t kCount = 4;
  typedef double Vector __attribute__((vector_size(32)));   // NOLINT: using drops it
  typedef float Elements __attribute__((vector_size(16)));  // NOLINT: using drops it

  LOCI_INLINE static void load(Vector& vector, const float* x) {
    Elements elements;
    std::memcpy(&elements, x, sizeof elements);
    vector = __builtin_convertvector(elements, Vector);
  }

  LOCI_INLINE static void store(const Vector& vector, float* out) {
    const Elements elements = __builtin_convertvector(vector, Elements);
    std::memcpy(out, &elements, sizeof elements);
  }

  LOCI_INLINE static void reverse(Vector& v) { v = __builtin_shufflevector(v, v, 3, 2, 1, 0); }

  // Puts `first` before all but the last.
  LOCI_INLINE static void move_on(Vector& v, double first) {
    const Vector all = Vector{} + first;
    v = __builtin_shufflevector(v, all, 4, 0, 1, 2);
  }

  // Makes each that of all up to it, behind those `before`, and gives that of all.
  LOCI_INLINE static double run(Vector& v, double before) {
    const Vector none = Vector{} + static_cast<double>(Op::kNeutral);
    const Vector one = __builtin_shufflevector(v, none, 4, 0, 1, 2);
    Op::apply_lanes(v, one);
    const Vector two = __builtin_shufflevector(v, none, 4, 4, 0, 1);
    Op::apply_lanes(v, two);
    const double last = v[kCount - 1];
    const Vector first = Vector{} + before;
    Op::apply_lanes(v, first);
    return Op::apply(before, last);
  }
};

// A result may lie where x does: what is read is read before anything is written to its place.
template <class Op, class T>
struct Cumulate {
  using C = sdk::compute_t<T>;
  // Floats are added in double; integers wrap in their own width.
  using State = std::conditional_t<std::is_floating_point_v<C>, double, C>;
  static constexpr auto kNeutral = static_cast<State>(Op::kNeutral);
  // So many halves, as float32, or columns stay in the first cache.
  static constexpr std::int64_t kPart = 1024;
  static constexpr std::int64_t kTogether = 4;  // rows, whose states stay in registers

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    if (split.count == 0) return;
    if (split.inner == 1) {
      return for_items(split.outer, split.count, [=, this](std::int64_t line) LOCI_INLINE {
        run_line(x + line * split.count, out + line * split.count);
      });
    }
    const std::int64_t width = strip_width();
    const std::int64_t strips = (split.inner + width - 1) / width;
    for_items(split.outer * strips, split.count * width, [=, this](std::int64_t item) LOCI_INLINE {
      const std::int64_t column = item % strips * width;
      const std::int64_t at = item / strips * split.count * split.inner + column;
      run_columns(x + at, out + at, std::min(width, split.inner - column));
    });
  }

  // Calls run(item) for each, which is so many elements.
  template <class Run>
  void for_items(std::int64_t items, std::int64_t elements, const Run& run) const {
    host->parallel_for(0, items, grain_for(kPicoseconds * elements),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t item = begin; item < end; ++item) run(item);
                         });
                       });
  }

  // Columns for each thread, whole lines of the cache.
  [[nodiscard]] std::int64_t strip_width() const {
    constexpr std::int64_t kLeast = 64;
    const std::int64_t threads = std::max<std::int64_t>(host->parallel_width(), 1);
    const std::int64_t lines = std::max<std::int64_t>(split.outer, 1);
    const std::int64_t shares = (threads + lines - 1) / lines;
    const std::int64_t wanted = split.inner / shares + kLeast - 1;
    return std::min(std::clamp(wanted / kLeast * kLeast, kLeast, kPart), split.inner);
  }

  LOCI_INLINE void run_line(const T* x, T* out) const {
    State state = kNeutral;
    if constexpr (sdk::is_half<T>) {
      alignas(64) float wide[kPart];
      for (std::int64_t done = 0; done < split.count; done += kPart) {
        const std::int64_t part = std::min(kPart, split.count - done);
        const std::int64_t at = reverse ? split.count - done - part : done;
        widen(x + at, wide, part);
        run_part(wide, wide, part, &state);
        narrow(wide, out + at, part);
      }
    } else {
      run_part(x, out, split.count, &state);
    }
  }

  LOCI_INLINE void run_part(const C* x, C* out, std::int64_t count, State* state) const {
    State before = *state;
    std::int64_t i = 0;
    if constexpr (std::is_same_v<C, float>) {
      using Lane = Lanes<Op>;
      for (; i + Lane::kCount <= count; i += Lane::kCount) {
        const std::int64_t at = reverse ? count - Lane::kCount - i : i;
        typename Lane::Vector lanes;
        Lane::load(lanes, x + at);
        if (reverse) Lane::reverse(lanes);
        const State next = Lane::run(lanes, before);
        if (exclusive) Lane::move_on(lanes, before);
        if (reverse) Lane::reverse(lanes);
        Lane::store(lanes, out + at);
        before = next;
      }
    }
    for (; i < count; ++i) {
      const std::int64_t at = reverse ? count - 1 - i : i;
      const State next = Op::apply(before, static_cast<State>(x[at]));
      out[at] = static_cast<C>(exclusive ? before : next);
      before = next;
    }
    *state = before;
  }

  LOCI_INLINE void run_columns(const T* x, T* out, std::int64_t width) const {
    State states[kPart];
    std::fill_n(states, width, kNeutral);
    std::int64_t i = 0;
    for (; i + kTogether <= split.count; i += kTogether) {
      run_rows<kTogether>(x, out, i, width, states);
    }
    for (; i < split.count; ++i) run_rows<1>(x, out, i, width, states);
  }

  // Rows from the i-th on, in the order of the run.
  template <std::int64_t rows>
  LOCI_INLINE void run_rows(const T* x, T* out, std::int64_t i, std::int64_t width,
                            State* states) const {
    const C* from[rows];
    C* to[rows];
    if constexpr (sdk::is_half<T>) {
      alignas(64) float wide[rows][kPart];
      for (std::int64_t row = 0; row < rows; ++row) {
        widen(x + row_offset(i + row), wide[row], width);
        from[row] = to[row] = wide[row];
      }
      run_wide_rows<rows>(from, to, width, states);
      for (std::int64_t row = 0; row < rows; ++row) {
        narrow(wide[row], out + row_offset(i + row), width);
      }
    } else {
      for (std::int64_t row = 0; row < rows; ++row) {
        from[row] = x + row_offset(i + row);
        to[row] = out + row_offset(i + row);
      }
      run_wide_rows<rows>(from, to, width, states);
    }
  }

  LOCI_INLINE std::int64_t row_offset(std::int64_t i) const {
    return (reverse ? split.count - 1 - i : i) * split.inner;
  }

  template <std::int64_t rows>
  LOCI_INLINE void run_wide_rows(const C* const (&from)[rows], C* const (&to)[rows],
                                 std::int64_t width, State* states) const {
    if (exclusive) {
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) {
        State state = states[c];
        for (std::int64_t row = 0; row < rows; ++row) {
          const State next = Op::apply(state, static_cast<State>(from[row][c]));
          to[row][c] = static_cast<C>(state);
          state = next;
        }
        states[c] = state;
      }
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) {
        State state = states[c];
        for (std::int64_t row = 0; row < rows; ++row) {
          state = Op::apply(state, static_cast<State>(from[row][c]));
          to[row][c] = static_cast<C>(state);
        }
        states[c] = state;
      }
    }
  }

  const sdk::Host* host;
  sdk::AxisSplit split;
  bool exclusive;
  bool reverse;
};

template <class Op>
class CumulativeKernel final : public sdk::Kernel {
 public:
  explicit CumulativeKernel(const OpDesc& op)
      : axis_(op.attributes().integer("axis")),
        exclusive_(op.attributes().boolean("exclusive")),
        reverse_(op.attributes().boolean("reverse")) {}

  void prepare(Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    sdk::visit_numbers(x.dtype(), [&](auto tag) {
      using T = unsigned_if_t<true, typename decltype(tag)::type>;
      prepare.emplace<Cumulate<Op, T>>(&prepare.host(), sdk::AxisSplit(x.dims(), axis_), exclusive_,
                                       reverse_);
    });
  }

 private:
  std::int64_t axis_;
  bool exclusive_;
  bool reverse_;
};

template <class Op>
void add(KernelDefs& kernels, std::string_view op) {
  kernels.push_back({.op = op,
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<CumulativeKernel<Op>>,
                     .aliases = {{0, 0}}});
}

}  // namespace

void add_cumulative(KernelDefs& kernels) {
  add<Add>(kernels, "cumsum");
  add<Multiply>(kernels, "cumprod");
}

}  // namespace loci::kernels
