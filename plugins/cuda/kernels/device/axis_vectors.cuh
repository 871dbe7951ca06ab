// Work on the vectors along one axis, read once from memory where a team's registers hold one.
//
// An operation is a type with
//   Element, Arguments                    of the tensor; the kernel's parameters
//   static constexpr int kArrays          tensors that are gone through together
//   static Arrays<Element, kArrays> arrays(const Arguments&)
//   static void run(const Arguments&, const Elements&)   for one vector, by all of its team
// where Elements is an AxisElements, or for whole rows what whole_rows.cuh has in its place.
#pragma once

#include "kernels/device/element_axes.cuh"
#include "kernels/device/elements.cuh"
#include "kernels/device/shared_rows.cuh"
#include "kernels/device/thread_teams.cuh"
#include "kernels/launch/vector_layout.h"

namespace loci::cuda {

struct Plus {
  template <class State>
  static __device__ State apply(State x, State y) {
    return x + y;
  }
};

// NaN is passed over.
struct Larger {
  template <class State>
  static __device__ State apply(State x, State y) {
    if constexpr (std::is_floating_point_v<State>) {
      return fmax(x, y);
    } else {
      return x > y ? x : y;
    }
  }
};

// Stores by one instruction: where another path stores the same elements one by one, the compiler
// would make one of both, of single elements.
template <class T>
__device__ void store_at_once(T* to, const Vector<T>& vector) {
  std::uint32_t words[4];
  static_assert(sizeof words == sizeof vector);
  std::memcpy(words, &vector, sizeof vector);
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

template <class T, int kArrays>
struct Arrays {
  const T* data[kArrays];
};

// The values that one thread has of an element, one in each array.
template <class C, int kArrays>
struct Values {
  C of[kArrays];
};

// Elements of which each value is computed where it is needed, again each time.
template <class Elements, class Compute>
class MappedElements {
 public:
  __device__ MappedElements(const Elements& elements, const Compute& compute)
      : elements_(elements), compute_(compute) {}

  template <class Op, class State, class Add>
  __device__ State folded(State neutral, const Add& add) const {
    return elements_.template folded<Op>(
        neutral, [&](State state, const auto& values) { return add(state, compute_(values)); });
  }
  template <class T, class Finish>
  __device__ void store_with_slot(T* out, const Finish& finish) const {
    elements_.store_with_slot(out, [&](const auto& values, std::int64_t position, int lane) {
      return finish(compute_(values), position, lane);
    });
  }
  template <class T, class Finish>
  __device__ void store(T* out, const Finish& finish) const {
    elements_.store(out, [&](const auto& values, std::int64_t position) {
      return finish(compute_(values), position);
    });
  }

 private:
  const Elements& elements_;
  Compute compute_;
};

struct VectorPlace {
  std::int64_t vector;
  std::int64_t base;  // of its first element
  std::int64_t count;
  bool is_there;  // else the thread only meets the others
};

// A thread's part of one vector: vectors of 16 bytes where they are aligned and lie in one run.
template <class T, int kArrays, int kHeld, class Team>
class AxisElements {
  using C = computed_t<T>;
  using Convert = Element<T>;
  static constexpr int kLanes = Vector<T>::kLanes;

 public:
  __device__ AxisElements(const Arrays<T, kArrays>& arrays, const VectorLayout& layout,
                          const Team& team, const VectorPlace& place, bool may_be_vectors)
      : arrays_(arrays), layout_(layout), team_(team), place_(place), are_vectors_(may_be_vectors) {
#pragma unroll
    for (int a = 0; a < kArrays; ++a) are_vectors_ &= are_vectors(arrays.data[a] + place.base);
    if constexpr (kHeld > 0) hold();
  }

  __device__ std::int64_t vector() const { return place_.vector; }
  __device__ std::int64_t base() const { return place_.base; }
  __device__ std::int64_t count() const { return place_.count; }
  // Else the thread has no elements, and only meets the others in folds.
  __device__ bool is_there() const { return place_.is_there; }
  // Returns true in the thread of the team that writes for the whole vector.
  __device__ bool is_writer() const { return team_.member() == 0 && place_.is_there; }

  // Returns a row that all vectors share; without `data`, which may be null, it is all `otherwise`.
  __device__ SharedRow<T> shared_row(const void* data, C otherwise) const {
    return {data, otherwise};
  }
  // Returns the element that an array has for the whole vector.
  __device__ C of_vector(const void* array) const {
    return team_.read(static_cast<const C*>(array) + place_.vector);
  }

  template <class Op, class State>
  __device__ State fold(State state) const {
    return team_.template fold<Op>(state);
  }

  // visit(Values, position) for each of the thread's elements.
  template <class Visit>
  __device__ void each(const Visit& visit) const {
    if constexpr (kHeld > 0) {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        const std::int64_t position = position_of(i);
        if (position < place_.count) visit(held_[i], position);
      }
    } else {
      read([&](const auto& values, std::int64_t position, int) { visit(values, position); });
    }
  }

  // visit(Values, position, slot): which of the thread's elements it is, or of its vector; -1
  // without vectors. Rows of shared_row() take both.
  template <class Visit>
  __device__ void each_with_slot(const Visit& visit) const {
    if constexpr (kHeld > 0) {
      if (are_vectors_) {
#pragma unroll
        for (int i = 0; i < kHeld; ++i) {
          const std::int64_t position = position_of(i);
          if (position < place_.count) visit(held_[i], position, i % kLanes);
        }
      } else {
#pragma unroll
        for (int i = 0; i < kHeld; ++i) {
          const std::int64_t position = position_of(i);
          if (position < place_.count) visit(held_[i], position, -1);
        }
      }
    } else {
      read(visit);
    }
  }

  // Folds add(state, Values) of all elements of the vector by Op, from `neutral` on.
  template <class Op, class State, class Add>
  __device__ State folded(State neutral, const Add& add) const {
    State state = neutral;
    each([&](const auto& values, std::int64_t) { state = add(state, values); });
    return fold<Op>(state);
  }
  // Folds add(state, Values, position, slot) of all elements by Op.
  template <class Op, class State, class Add>
  __device__ State folded_with_slot(State neutral, const Add& add) const {
    State state = neutral;
    each_with_slot([&](const auto& values, std::int64_t position, int lane) {
      state = add(state, values, position, lane);
    });
    return fold<Op>(state);
  }

  // Makes compute(Values) the values of these elements; they are kept if registers have room.
  template <class Compute>
  __device__ auto map(const Compute& compute) const {
    return MappedElements<AxisElements, Compute>(*this, compute);
  }

  // Writes compute(Values, position) to `out`, which may be one of the arrays.
  template <class Compute>
  __device__ void store(T* out, const Compute& compute) const {
    store_with_slot(out, [&](const auto& values, std::int64_t position, int) {
      return compute(values, position);
    });
  }

  // Writes compute(Values, position, slot) to `out`, which may be one of the arrays.
  template <class Compute>
  __device__ void store_with_slot(T* out, const Compute& compute) const {
    T* to = out + place_.base;
    if (are_vectors_ && are_vectors(to)) {
      store_vectors(to, compute);
    } else {
      each([&](const auto& values, std::int64_t position) {
        to[offset_of(layout_.places, position)] = Convert::narrow(compute(values, position, -1));
      });
    }
  }

 private:
  // The thread's i-th.
  __device__ std::int64_t position_of(int i) const {
    if (!are_vectors_) return static_cast<std::int64_t>(i) * team_.size() + team_.member();
    return static_cast<std::int64_t>(i / kLanes * team_.size() + team_.member()) * kLanes +
           i % kLanes;
  }

  __device__ Values<C, kArrays> scalar_at(std::int64_t position) const {
    const std::int64_t offset = place_.base + offset_of(layout_.places, position);
    Values<C, kArrays> values;
#pragma unroll
    for (int a = 0; a < kArrays; ++a) {
      values.of[a] = Convert::widen(arrays_.data[a][offset]);
    }
    return values;
  }

  // visit(Values, lane) for a vector from `position` on.
  template <class Visit>
  __device__ void visit_vector(std::int64_t position, const Visit& visit) const {
    const std::int64_t offset = place_.base + offset_of(layout_.places, position);
    Vector<T> vectors[kArrays];
#pragma unroll
    for (int a = 0; a < kArrays; ++a) vectors[a] = load_vector(arrays_.data[a] + offset);
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      Values<C, kArrays> values;
#pragma unroll
      for (int a = 0; a < kArrays; ++a) {
        values.of[a] = Convert::widen(vectors[a].lanes[lane]);
      }
      visit(values, lane);
    }
  }

  __device__ void hold() {
    if (are_vectors_) {
#pragma unroll
      for (int i = 0; i < kHeld; i += kLanes) {
        const std::int64_t position = position_of(i);
        if (position >= place_.count) continue;
        visit_vector(position, [&](const auto& values, int lane) { held_[i + lane] = values; });
      }
    } else {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        const std::int64_t position = position_of(i);
        if (position < place_.count) held_[i] = scalar_at(position);
      }
    }
  }

  template <class Visit>
  __device__ void read(const Visit& visit) const {
    if (are_vectors_) {
      for (std::int64_t i = team_.member() * kLanes; i < place_.count; i += team_.size() * kLanes) {
        visit_vector(i, [&](const auto& values, int lane) { visit(values, i + lane, lane); });
      }
    } else {
      for (std::int64_t i = team_.member(); i < place_.count; i += team_.size()) {
        visit(scalar_at(i), i, -1);
      }
    }
  }

  template <class Compute>
  __device__ void store_vectors(T* to, const Compute& compute) const {
    if constexpr (kHeld > 0) {
#pragma unroll
      for (int i = 0; i < kHeld; i += kLanes) {
        const std::int64_t position = position_of(i);
        if (position >= place_.count) continue;
        Vector<T> vector;
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          vector.lanes[lane] = Convert::narrow(compute(held_[i + lane], position + lane, lane));
        }
        store_at_once(to + offset_of(layout_.places, position), vector);
      }
    } else {
      for (std::int64_t i = team_.member() * kLanes; i < place_.count; i += team_.size() * kLanes) {
        Vector<T> vector;
        visit_vector(i, [&](const auto& values, int lane) {
          vector.lanes[lane] = Convert::narrow(compute(values, i + lane, lane));
        });
        store_at_once(to + offset_of(layout_.places, i), vector);
      }
    }
  }

  Arrays<T, kArrays> arrays_;
  const VectorLayout& layout_;
  const Team& team_;
  VectorPlace place_;
  bool are_vectors_;
  Values<C, kArrays> held_[kHeld > 0 ? kHeld : 1];
};

template <class Op, int kHeld>
__device__ void run_rows(const typename Op::Arguments& arguments, const VectorLayout& layout,
                         bool may_be_vectors) {
  using T = typename Op::Element;
  const RowTeam team(layout.width);
  for (std::int64_t i = team.first_item(); i < layout.vectors; i += team.item_step()) {
    const VectorPlace place{i, i * layout.row_step, layout.count, true};
    Op::run(arguments, AxisElements<T, Op::kArrays, kHeld, RowTeam>(Op::arrays(arguments), layout,
                                                                    team, place, may_be_vectors));
  }
}

template <class Op, int kHeld>
__device__ void run_rows(const typename Op::Arguments& arguments, const VectorLayout& layout) {
  const ElementAxes& places = layout.places;
  const std::int64_t run = places.rank == 0 ? 1 : places.axes[0].extent;
  const bool may_be_vectors = run % Vector<typename Op::Element>::kLanes == 0;
  run_rows<Op, kHeld>(staged<Op>(arguments, layout), layout, may_be_vectors);
}

template <class Op, int kHeld>
__device__ void run_columns(const typename Op::Arguments& arguments, const VectorLayout& layout) {
  using T = typename Op::Element;
  const ColumnTeam team(layout.width);
  const std::int64_t strips = (layout.inner + layout.width - 1) / layout.width;
  const std::int64_t items = layout.vectors / layout.inner * strips;
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t row = item / strips;
    const std::int64_t column = (item - row * strips) * layout.width + team.column();
    const bool is_there = column < layout.inner;
    const VectorPlace place{row * layout.inner + column, row * layout.count * layout.inner + column,
                            is_there ? layout.count : 0, is_there};
    Op::run(arguments, AxisElements<T, Op::kArrays, kHeld, ColumnTeam>(
                           Op::arrays(arguments), layout, team, place, /*may_be_vectors=*/false));
  }
}

}  // namespace loci::cuda

// NAME_rows_HELD and NAME_columns_HELD of an operation, for each kind of holding. Long rows are for
// operations whose host asks for kMostHeld.
#define LOCI_AXIS_KERNEL(name, way, held, ...)                                        \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                         \
      name##_##way##_##held(const __grid_constant__ __VA_ARGS__::Arguments arguments, \
                            const __grid_constant__ VectorLayout layout) {            \
    run_##way<__VA_ARGS__, held>(arguments, layout);                                  \
  }
#define LOCI_AXIS_ROWS(name, ...)              \
  LOCI_AXIS_KERNEL(name, rows, 0, __VA_ARGS__) \
  LOCI_AXIS_KERNEL(name, rows, 8, __VA_ARGS__) \
  LOCI_AXIS_KERNEL(name, rows, 16, __VA_ARGS__)
#define LOCI_AXIS_LONG_ROWS(name, ...) \
  LOCI_AXIS_ROWS(name, __VA_ARGS__)    \
  LOCI_AXIS_KERNEL(name, rows, 32, __VA_ARGS__)
#define LOCI_AXIS_COLUMNS(name, ...)              \
  LOCI_AXIS_KERNEL(name, columns, 0, __VA_ARGS__) \
  LOCI_AXIS_KERNEL(name, columns, 8, __VA_ARGS__) \
  LOCI_AXIS_KERNEL(name, columns, 16, __VA_ARGS__)
#define LOCI_AXIS_ROWS_OF_FLOATS(name, Op) \
  LOCI_AXIS_ROWS(name##_f32, Op<float>)    \
  LOCI_AXIS_ROWS(name##_f64, Op<double>)   \
  LOCI_AXIS_ROWS(name##_f16, Op<__half>)   \
  LOCI_AXIS_ROWS(name##_bf16, Op<__nv_bfloat16>)
#define LOCI_AXIS_LONG_ROWS_OF_FLOATS(name, Op) \
  LOCI_AXIS_LONG_ROWS(name##_f32, Op<float>)    \
  LOCI_AXIS_LONG_ROWS(name##_f64, Op<double>)   \
  LOCI_AXIS_LONG_ROWS(name##_f16, Op<__half>)   \
  LOCI_AXIS_LONG_ROWS(name##_bf16, Op<__nv_bfloat16>)
#define LOCI_AXIS_FLOATS(name, Op)          \
  LOCI_AXIS_ROWS_OF_FLOATS(name, Op)        \
  LOCI_AXIS_COLUMNS(name##_f32, Op<float>)  \
  LOCI_AXIS_COLUMNS(name##_f64, Op<double>) \
  LOCI_AXIS_COLUMNS(name##_f16, Op<__half>) \
  LOCI_AXIS_COLUMNS(name##_bf16, Op<__nv_bfloat16>)
// Operations that go through a row only once have these, so that nothing has to be held.
#define LOCI_AXIS_ROWS_READ_ONCE(name, Op)          \
  LOCI_AXIS_KERNEL(name##_f32, rows, 0, Op<float>)  \
  LOCI_AXIS_KERNEL(name##_f64, rows, 0, Op<double>) \
  LOCI_AXIS_KERNEL(name##_f16, rows, 0, Op<__half>) \
  LOCI_AXIS_KERNEL(name##_bf16, rows, 0, Op<__nv_bfloat16>)
