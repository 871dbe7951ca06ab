// Convolutions of few rows in a group, such as one filter for each channel, and the gradients of
// their images.
//   conv2d_patch_DTYPE(source, weights, out, gather, epilogue), of any number of rows it takes, and
//   conv2d_patch_one_DTYPE, of one: blocks take turns at tiles of places in some groups, whose
//     elements they have in shared memory once for all windows
#include "kernels/conv2d/conv2d_epilogue.cuh"
#include "kernels/conv2d/conv2d_patch_source.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/device/tile_sums.cuh"

namespace loci::cuda {
namespace {

// One axis of a patch: from which element on, and where the first tap of the first place is in it.
struct PatchSide {
  __device__ PatchSide(const ConvAxis& axis, const Phase& along, std::int64_t first)
      : phase(along),
        place(first),
        to_first(axis.element_step < 0 && along.taps > 0
                     ? static_cast<int>((1 - along.taps) * axis.element_step)
                     : 0),
        element(along.element + first * axis.scale - to_first) {}

  // Returns where the result has the i-th place of the tile; negative behind the result's end.
  __device__ std::int64_t place_at(const ConvAxis& axis, int i) const {
    const std::int64_t at = phase.first_place + (place + i) * axis.divisor.count;
    return at < axis.places.count ? at : -1;
  }

  Phase phase;
  std::int64_t place;  // of the tile's first, in the phase
  int to_first;
  std::int64_t element;
};

// Which places of which images' groups a block computes.
struct PatchTile {
  std::int64_t image_group;
  PatchSide height;
  PatchSide width;
  __device__ int taps() const {
    return static_cast<int>(height.phase.taps) * static_cast<int>(width.phase.taps);
  }
};

__device__ PatchTile patch_tile(const ConvGather& gather, std::int64_t index) {
  const ConvPatch& patch = gather.patch;
  const Split across = split(index, patch.across);
  const Split down = split(across.outer, patch.down);
  const Split width = split(down.outer, gather.width.phases);
  const Split height = split(width.outer, gather.height.phases);
  return {height.outer * patch.planes,
          {gather.height, phase_at(gather.height, height.rest),
           (down.rest * patch.turns) << patch.height_bits},
          {gather.width, phase_at(gather.width, width.rest), across.rest << patch.width_bits}};
}

// Takes only those of the tile's groups that there are.
template <class T>
__device__ PatchSource<T> source_of(const ConvGather& gather, const PatchTile& tile) {
  const std::int64_t left = gather.batch * gather.groups.count - tile.image_group;
  const int planes = static_cast<int>(left < gather.patch.planes ? left : gather.patch.planes);
  return {gather, planes, tile.height.element, tile.width.element};
}

// Loads the weights in the order of plane, row and tap of the phase.
template <class T, class C>
__device__ void load_taps(C* terms, const T* weights, const ConvGather& gather,
                          const PatchTile& tile, std::int64_t channel) {
  const int across = static_cast<int>(tile.width.phase.taps);
  const int taps = tile.taps();
  const int rows = static_cast<int>(gather.rows.count);
  const int count = gather.patch.planes * rows * taps;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kBlockThreads) {
    const int line = i / taps;
    const int tap = i - line * taps;
    const int plane = line / rows;
    const std::int64_t group = split(tile.image_group + plane, gather.groups).rest;
    const std::int64_t h = tile.height.phase.first_tap + tap / across * gather.height.tap_step;
    const std::int64_t w = tile.width.phase.first_tap + tap % across * gather.width.tap_step;
    terms[i] = Element<T>::widen(
        weights[group * gather.group_weights + (line - plane * rows) * gather.row_weights +
                channel * gather.channel_weights + h * gather.width.taps + w]);
  }
}

// Which places a thread computes: in a plane of the block, from a row on, so many rows apart.
struct ThreadPlaces {
  __device__ explicit ThreadPlaces(const ConvPatch& patch)
      : plane(static_cast<int>(threadIdx.x) >> (patch.width_bits + patch.height_bits)),
        row(static_cast<int>(threadIdx.x) >> patch.width_bits & ((1 << patch.height_bits) - 1)),
        column(static_cast<int>(threadIdx.x) & ((1 << patch.width_bits) - 1)),
        step(1 << patch.height_bits) {}
  int plane;
  int row;
  int column;
  int step;
};

// The sums of a thread: those of its places, of up to `most` rows of a group.
template <class C, int most>
struct PatchSums {
  // In the patches, of a thread that has a plane; `elements` is where the first place's first tap
  // is, `terms` that of its plane.
  __device__ void add(const C* elements, const C* terms, const ConvGather& gather,
                      const PatchTile& tile, int rows, int step) {
    const int right = static_cast<int>(gather.width.element_step);
    const int down = static_cast<int>(gather.height.element_step) * gather.patch.width.divisor;
    const int across = static_cast<int>(tile.width.phase.taps);
    const int taps = tile.taps();
#pragma unroll 1
    for (int i = 0; i < taps; i += across, elements += down) {
      const C* at = elements;
#pragma unroll 1
      for (int j = 0; j < across; ++j, at += right) {
        C values[kPatchTurns];
#pragma unroll
        for (int turn = 0; turn < kPatchTurns; ++turn) {
          if (turn >= gather.patch.turns) break;
          values[turn] = at[turn * step];
        }
#pragma unroll
        for (int row = 0; row < most; ++row) {
          if (row >= rows) break;
          const C term = terms[row * taps + i + j];
#pragma unroll
          for (int turn = 0; turn < kPatchTurns; ++turn) {
            if (turn >= gather.patch.turns) break;
            of[turn][row] = plus_product(of[turn][row], term, values[turn]);
          }
        }
      }
    }
  }

  C of[kPatchTurns][most] = {};
};

template <class T, class C, int most>
__device__ void store_patch(const PatchSums<C, most>& sums, T* out, const ConvGather& gather,
                            const PatchTile& tile, const ThreadPlaces& own, int rows,
                            const ConvEpilogue& epilogue) {
  const std::int64_t image_group = tile.image_group + own.plane;
  const std::int64_t w = tile.width.place_at(gather.width, own.column);
  if (w < 0 || image_group >= gather.batch * gather.groups.count) return;
  const std::int64_t first_channel = split(image_group, gather.groups).rest * rows;
#pragma unroll
  for (int turn = 0; turn < kPatchTurns; ++turn) {
    const std::int64_t h = tile.height.place_at(gather.height, own.row + turn * own.step);
    if (turn >= gather.patch.turns || h < 0) break;
#pragma unroll
    for (int row = 0; row < most; ++row) {
      if (row >= rows) break;
      const std::int64_t line = (image_group * rows + row) * gather.height.places.count + h;
      const std::int64_t at = line * gather.width.places.count + w;
      out[at] = Element<T>::narrow(
          epilogue::applied<T>(epilogue, sums.of[turn][row], first_channel + row, at));
    }
  }
}

template <int most, class T>
__device__ void sum_patch(const T* source, const T* weights, T* out, const ConvGather& gather,
                          const PatchTile& tile, const ConvEpilogue& epilogue) {
  using C = computed_t<T>;
  __shared__ C elements[kPatchElements];
  __shared__ C terms[kPatchTerms];
  const ConvPatch& patch = gather.patch;
  const ThreadPlaces own(patch);
  const int rows = most == 1 ? 1 : static_cast<int>(gather.rows.count);
  const int line = static_cast<int>(gather.height.scale) * patch.width.divisor;
  const int first = own.plane * patch.size.divisor + own.row * line +
                    tile.height.to_first * patch.width.divisor +
                    own.column * static_cast<int>(gather.width.scale) + tile.width.to_first;
  const auto patches = source_of<T>(gather, tile);
  const std::int64_t channel_size = gather.height.elements * gather.width.elements;
  const T* channel_source = source + tile.image_group * gather.channels * channel_size;
  PatchSums<C, most> sums;
  __syncthreads();  // the elements before were read
  patches.clear(elements);
#pragma unroll 1
  for (std::int64_t channel = 0; channel < gather.channels; ++channel) {
    __syncthreads();  // and those of the channel before
    patches.load(elements, channel_source + channel * channel_size);
    load_taps(terms, weights, gather, tile, channel);
    __syncthreads();
    if (own.plane >= patch.planes) continue;
    sums.add(elements + first, terms + own.plane * rows * tile.taps(), gather, tile, rows,
             own.step * line);
  }
  if (own.plane < patch.planes) store_patch(sums, out, gather, tile, own, rows, epilogue);
}

template <int most, class T>
__device__ void sum_patches(const T* source, const T* weights, T* out, const ConvGather& gather,
                            const ConvEpilogue& epilogue) {
  const ConvPatch& patch = gather.patch;
  const std::int64_t tiles = patch.sets * gather.height.phases.count * gather.width.phases.count *
                             patch.down.count * patch.across.count;
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    sum_patch<most>(source, weights, out, gather, patch_tile(gather, i), epilogue);
  }
}

}  // namespace

#define LOCI_CONV_PATCH_OF(name, T, most)                                                        \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name(const T* source, const T* weights, T* out, const __grid_constant__ ConvGather gather, \
           const __grid_constant__ ConvEpilogue epilogue) {                                      \
    sum_patches<most>(source, weights, out, gather, epilogue);                                   \
  }
#define LOCI_CONV_PATCH(dtype, T, ...)                    \
  LOCI_CONV_PATCH_OF(conv2d_patch_##dtype, T, kPatchRows) \
  LOCI_CONV_PATCH_OF(conv2d_patch_one_##dtype, T, 1)

LOCI_FLOATS(LOCI_CONV_PATCH)

}  // namespace loci::cuda
