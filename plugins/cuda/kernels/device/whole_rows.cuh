// Work on rows that are one run of whole vectors of 16 bytes, few enough for the registers of a
// team: all of a thread's vectors are read before the first is used, positions have 32 bits, and
// nothing is asked about single elements.
//
// An operation is as axis_vectors.cuh says, and has besides
//   static Element* out(const Arguments&)   what it stores
#pragma once

#include <type_traits>

#include "kernels/device/axis_vectors.cuh"
#include "kernels/device/fixed_team.cuh"
#include "kernels/device/packed_elements.cuh"

namespace loci::cuda {

// Where the vectors of one thread lie in its row. All of them are there if `kIsFull`.
template <class T, int kVectors, bool kIsFull, class Team>
class RowPart {
 public:
  using Stored = T;
  static constexpr int kLanes = Packed<T>::kLanes;
  static constexpr int kCount = kVectors;

  __device__ RowPart(const Team& team, std::int64_t row, int count)
      : team_(team), row_(row), count_(count) {}

  __device__ const Team& team() const { return team_; }
  __device__ std::int64_t row() const { return row_; }
  __device__ int count() const { return count_; }
  __device__ std::int64_t base() const { return row_ * count_; }
  // Returns the position of the first element of the thread's i-th vector.
  __device__ int position(int i) const { return step(i) + team_.member() * kLanes; }
  // Returns the i-th vector in an array. A step that is a constant becomes part of instructions.
  template <class Pointer>
  __device__ Pointer at(Pointer array, int i) const {
    return array + (base() + team_.member() * kLanes) + step(i);
  }
  __device__ bool has(int i) const { return kIsFull || position(i) < count_; }

 private:
  __device__ int step(int i) const { return i * team_.size() * kLanes; }

  const Team& team_;
  std::int64_t row_;
  int count_;
};

// The values that a thread read, of each array.
template <class Part, int kArrays>
struct ReadValues {
  using T = typename Part::Stored;
  __device__ Values<computed_t<T>, kArrays> at(int vector, int lane) const {
    Values<computed_t<T>, kArrays> values;
#pragma unroll
    for (int a = 0; a < kArrays; ++a) values.of[a] = Packed<T>::at(words[a][vector], lane);
    return values;
  }
  std::uint32_t words[kArrays][Part::kCount][4];
};

// The values that a thread computed of those it read.
template <class Part>
struct ComputedValues {
  using C = computed_t<typename Part::Stored>;
  __device__ C at(int vector, int lane) const { return values[vector][lane]; }
  C values[Part::kCount][Part::kLanes];
};

// SharedRow of whole rows: nothing is asked before 16 bytes are read. What a thread needs of it is
// read at once where that is little, so that it is there when sums are; else where it is used.
template <class Part>
class AlignedRow {
  using T = typename Part::Stored;
  using C = computed_t<T>;
  static constexpr int kLanes = Part::kLanes;
  static constexpr bool kIsHeld = Part::kCount <= 2;

 public:
  // `data` may be null: each element is `otherwise` then.
  __device__ AlignedRow(const Part& part, const void* data, C otherwise)
      : data_(static_cast<const T*>(data)), otherwise_(otherwise) {
    if constexpr (kIsHeld) {
#pragma unroll
      for (int i = 0; i < Part::kCount; ++i) {
        if (part.has(i)) read_vector(i, part.position(i));
      }
    }
  }
  __device__ C at(int position, int slot) {
    if (!kIsHeld && slot % kLanes == 0) read_vector(0, position);
    return Packed<T>::at(words_[kIsHeld ? slot / kLanes : 0], slot % kLanes);
  }

 private:
  __device__ void read_vector(int i, int position) {
    C values[kLanes];
#pragma unroll
    for (C& value : values) value = otherwise_;
    Packed<T>::put(words_[i], values);
    if (data_ != nullptr) load_packed(words_[i], data_ + position);
  }

  const T* data_;
  C otherwise_;
  std::uint32_t words_[kIsHeld ? Part::kCount : 1][4];
};

// A thread's part of one row, as AxisElements is one of a vector along any axis.
template <class Part, class Held>
class RowElements {
  using T = typename Part::Stored;
  using C = computed_t<T>;
  static constexpr int kLanes = Part::kLanes;

 public:
  __device__ explicit RowElements(const Part& part) : part_(part) {}

  template <int kArrays>
  __device__ void read(const Arrays<T, kArrays>& arrays) {
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) {
      if (!part_.has(i)) continue;
#pragma unroll
      for (int a = 0; a < kArrays; ++a) {
        load_packed(held_.words[a][i], part_.at(arrays.data[a], i));
      }
    }
  }

  __device__ std::int64_t vector() const { return part_.row(); }
  __device__ std::int64_t base() const { return part_.base(); }
  __device__ std::int64_t count() const { return part_.count(); }
  __device__ bool is_there() const { return true; }
  __device__ bool is_writer() const { return part_.team().member() == 0; }
  __device__ C of_vector(const void* array) const {
    return part_.team().read(static_cast<const C*>(array) + part_.row());
  }
  // `data` may be null: each element is `otherwise` then.
  __device__ AlignedRow<Part> shared_row(const void* data, C otherwise) const {
    return {part_, data, otherwise};
  }
  template <class Op, class State>
  __device__ State fold(State state) const {
    return part_.team().template fold<Op>(state);
  }

  // Vectors by themselves first, so that sums are short and do not wait for each other.
  template <class Op, class State, class Add>
  __device__ State folded_with_slot(State neutral, const Add& add) const {
    State all = neutral;
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) {
      if (!part_.has(i)) continue;
      State one = neutral;
      visit_vector(i, [&](const auto& value, int position, int slot) {
        one = add(one, value, position, slot);
      });
      all = i == 0 ? one : Op::apply(all, one);
    }
    return fold<Op>(all);
  }
  template <class Op, class State, class Add>
  __device__ State folded(State neutral, const Add& add) const {
    return folded_with_slot<Op>(
        neutral, [&](State state, const auto& value, int, int) { return add(state, value); });
  }

  template <class Compute>
  __device__ auto map(const Compute& compute) const {
    RowElements<Part, ComputedValues<Part>> mapped(part_);
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) {
      if (!part_.has(i)) continue;
      visit_vector(i, [&](const auto& value, int, int slot) {
        mapped.held_.values[i][slot % kLanes] = compute(value);
      });
    }
    return mapped;
  }

  template <class Compute>
  __device__ void store_with_slot(T* out, const Compute& compute) const {
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) {
      if (!part_.has(i)) continue;
      C values[kLanes];
      visit_vector(i, [&](const auto& value, int position, int slot) {
        values[slot % kLanes] = compute(value, position, slot);
      });
      std::uint32_t words[4];
      Packed<T>::put(words, values);
      store_packed(part_.at(out, i), words);
    }
  }
  template <class Compute>
  __device__ void store(T* out, const Compute& compute) const {
    store_with_slot(out,
                    [&](const auto& value, int position, int) { return compute(value, position); });
  }

 private:
  template <class, class>
  friend class RowElements;

  template <class Visit>
  __device__ void visit_vector(int i, const Visit& visit) const {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      visit(held_.at(i, lane), part_.position(i) + lane, i * kLanes + lane);
    }
  }

  Part part_;
  Held held_;
};

template <class Op, int kVectors, bool kIsFull, class Team>
__device__ void run_parts(const Arrays<typename Op::Element, Op::kArrays>& arrays,
                          const typename Op::Arguments& arguments, const VectorLayout& layout,
                          const Team& team) {
  using Part = RowPart<typename Op::Element, kVectors, kIsFull, Team>;
  for (std::int64_t i = team.first_item(); i < layout.vectors; i += team.item_step()) {
    RowElements<Part, ReadValues<Part, Op::kArrays>> elements(
        Part(team, i, static_cast<int>(layout.count)));
    elements.read(arrays);
    Op::run(arguments, elements);
  }
}

template <class Op>
__device__ bool has_vectors(const typename Op::Arguments& arguments) {
  const auto arrays = Op::arrays(arguments);
  bool are_all = are_vectors(Op::out(arguments));
#pragma unroll
  for (int a = 0; a < Op::kArrays; ++a) are_all &= are_vectors(arrays.data[a]);
  if constexpr (SharesRows<Op>) {
    typename Op::Arguments shared = arguments;
    Op::each_shared(shared, [&](const void* row) { are_all &= are_vectors(row); });
  }
  return are_all;
}

// Few questions cost less than the code that does without.
constexpr int kFewVectors = 2;

// Arrays that begin elsewhere than at a multiple of 16 bytes go element by element.
template <class Op, int kVectors, class Team>
__device__ void run_whole(const typename Op::Arguments& given, const VectorLayout& layout) {
  if (!has_vectors<Op>(given)) {
    return run_rows<Op, kNoneHeld>(given, layout, /*may_be_vectors=*/false);
  }
  // The compiler knows that the given arrays are in global memory.
  const auto arrays = Op::arrays(given);
  const auto arguments = staged<Op>(given, layout);
  const Team team(layout.width);
  if constexpr (kVectors > kFewVectors) {
    constexpr int kLanes = Packed<typename Op::Element>::kLanes;
    if (layout.count == kVectors * kLanes * team.size()) {
      return run_parts<Op, kVectors, true>(arrays, arguments, layout, team);
    }
  }
  run_parts<Op, kVectors, false>(arrays, arguments, layout, team);
}

}  // namespace loci::cuda

// Registers are left for so many blocks of a multiprocessor, which hide each other's waiting.
constexpr int kWholeBlocks = 2;

// NAME_lanes_1, NAME_warp_VECTORS and NAME_block_VECTORS of an operation: a row has some lanes of a
// warp, a warp or a block, and a thread so many vectors of it.
#define LOCI_WHOLE_KERNEL(name, way, vectors, Team, ...)                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, kWholeBlocks)              \
      name##_##way##_##vectors(const __grid_constant__ __VA_ARGS__::Arguments arguments, \
                               const __grid_constant__ VectorLayout layout) {            \
    run_whole<__VA_ARGS__, vectors, Team>(arguments, layout);                            \
  }
#define LOCI_WHOLE_WARPS(name, vectors, ...) \
  LOCI_WHOLE_KERNEL(name, warp, vectors, FixedTeam<kWarpThreads>, __VA_ARGS__)
#define LOCI_WHOLE_BLOCKS(name, vectors, ...) \
  LOCI_WHOLE_KERNEL(name, block, vectors, FixedTeam<kBlockThreads>, __VA_ARGS__)
#define LOCI_WHOLE_ROWS(name, ...)                         \
  LOCI_WHOLE_KERNEL(name, lanes, 1, LaneTeam, __VA_ARGS__) \
  LOCI_WHOLE_WARPS(name, 2, __VA_ARGS__)                   \
  LOCI_WHOLE_WARPS(name, 4, __VA_ARGS__)                   \
  LOCI_WHOLE_WARPS(name, 8, __VA_ARGS__)                   \
  LOCI_WHOLE_BLOCKS(name, 1, __VA_ARGS__)                  \
  LOCI_WHOLE_BLOCKS(name, 2, __VA_ARGS__)                  \
  LOCI_WHOLE_BLOCKS(name, 4, __VA_ARGS__)                  \
  LOCI_WHOLE_BLOCKS(name, 8, __VA_ARGS__)
// Kernels for one array, and for two, which leave registers for half as many vectors of float32.
#define LOCI_WHOLE_ROWS_OF_FLOATS(name, Op)   \
  LOCI_WHOLE_ROWS(name##_f32, Op<float>)      \
  LOCI_WHOLE_WARPS(name##_f32, 16, Op<float>) \
  LOCI_WHOLE_ROWS(name##_f16, Op<__half>)     \
  LOCI_WHOLE_ROWS(name##_bf16, Op<__nv_bfloat16>)
#define LOCI_WHOLE_ROWS_OF_TWO(name, Op)  \
  LOCI_WHOLE_ROWS(name##_f32, Op<float>)  \
  LOCI_WHOLE_ROWS(name##_f16, Op<__half>) \
  LOCI_WHOLE_ROWS(name##_bf16, Op<__nv_bfloat16>)
