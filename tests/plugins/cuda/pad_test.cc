// Pads of views that begin anywhere, of elements of each size: vectors of 16 bytes lie whole in
// rows, reach from one into the next, or are none.
#include <algorithm>
#include <loci/ops.hpp>
#include <string>
#include <vector>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using CudaPadTest = OnTheDouble;

// The place in a dimension of `extent` elements that the mode takes for a place outside of it.
std::int64_t place_in(std::int64_t at, std::int64_t extent, const std::string& mode) {
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
  if (mode == "wrap") return (at + extent) % extent;
  return at < 0 ? -at : at < extent ? at : 2 * (extent - 1) - at;
}

// 1, 2, ... as rows, padded by as many columns on either side and a row in front of them.
template <class T>
void pads_views(const Tensor& all, std::int64_t columns, std::int64_t width,
                const std::string& mode) {
  constexpr std::int64_t kRows = 5;
  for (std::int64_t begin = 0; begin < 3; ++begin) {
    const Tensor x = all.rows(begin, begin + kRows * columns).reshaped({kRows, columns});
    const auto out = pad(x, {1, width, 0, width}, mode).to_vector<T>();
    const std::int64_t length = columns + 2 * width;
    ASSERT_EQ(static_cast<std::int64_t>(out.size()), (kRows + 1) * length);
    for (std::int64_t i = 0; i < (kRows + 1) * length; ++i) {
      const std::int64_t row = i / length - 1;
      const std::int64_t column = i % length - width;
      const bool is_in_x = row >= 0 && column >= 0 && column < columns;
      const std::int64_t source =
          place_in(row, kRows, mode) * columns + place_in(column, columns, mode);
      const std::int64_t expected = mode == "constant" && !is_in_x ? 0 : begin + source + 1;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<T>(expected)) << mode << " " << i;
    }
  }
}

template <class T>
void pads_views_from_anywhere(const Tensor& all) {
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    pads_views<T>(all, 32, 16, mode);
    pads_views<T>(all, 37, 3, mode);
    pads_views<T>(all, 3, 2, mode);
  }
}

TEST_F(CudaPadTest, PadsElementsOfEachSize) {
  pads_views_from_anywhere<std::uint8_t>(cast(counted<std::int32_t>(200), kUInt8));
  pads_views_from_anywhere<std::int16_t>(counted<std::int16_t>(200));
  pads_views_from_anywhere<float>(counted<float>(200));
  pads_views_from_anywhere<double>(counted<double>(200));
}

// The runs that are moved at once are 3, 8 and 16 elements long.
TEST_F(CudaPadTest, PadsRunsOfElements) {
  for (const std::int64_t run : {3, 8, 16}) {
    const Tensor x = counted<float>(4 * run).reshaped({4, run});
    const auto out = pad(x, {1, 0, 2, 0}, "constant", 9).to_vector<float>();
    for (std::int64_t i = 0; i < 7 * run; ++i) {
      const bool is_in_x = i >= run && i < 5 * run;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], is_in_x ? static_cast<float>(i - run + 1) : 9.0F);
    }
  }
}

TEST_F(CudaPadTest, ClearsTheGradientOfWhatIsCropped) {
  const Tensor x = counted<float>(6);
  const Tensor nothing = pad(x, {-2, -4});
  const auto grad = OpCall<Tensor>("pad_grad")
                        .input("x", x)
                        .input("out_grad", nothing)
                        .attr("pads", std::vector<std::int64_t>{-2, -4})
                        .attr("mode", std::string("edge"))
                        .result();
  EXPECT_EQ(grad.to_vector<float>(), std::vector<float>(6));
}

}  // namespace
}  // namespace loci::test
