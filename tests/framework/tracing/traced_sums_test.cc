// Gradients that several parts of control flow contribute to are rounded as imperative code rounds
// them: in a compiled function blocks add to what came before them, part by part.
#include <loci/autograd.hpp>
#include <loci/control_flow.hpp>
#include <loci/trace.hpp>
#include <random>
#include <string>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using Tensors = std::vector<Tensor>;

constexpr int kElements = 4;
constexpr int kDraws = 20;

// A step is made of these: parameters, an input, and the control flow around them.
struct Parts {
  Tensor a;
  Tensor b;
  Tensor x;

  using Body = std::function<Tensor(const Tensor&)>;

  [[nodiscard]] Tensor scanned(const Tensor& first, const Body& body) const {
    ScanOptions options;
    options.length = 3;
    return scan(
               [&](const Tensors& carry, const Tensors&) {
                 return ScanResult<Tensor>{{body(carry[0])}, {}};
               },
               {first}, {}, options)
        .carry[0];
  }
  [[nodiscard]] Tensor looped(const Tensor& first, const Body& body) const {
    return while_loop([](const Tensors& v) { return v[0] < full({1}, 3); },
                      [&](const Tensors& v) -> Tensors {
                        return {v[0] + 1.0, body(v[1])};
                      },
                      {full({1}, 0), first})[1];
  }
  [[nodiscard]] Tensor chosen(const std::function<Tensor()>& yes,
                              const std::function<Tensor()>& no) const {
    return cond(reduce_sum(x) > full({1}, 0), yes, no);
  }
};

struct SumCase {
  const char* name;
  std::function<Tensor(const Parts&)> result;
};

void PrintTo(const SumCase& each, std::ostream* out) { *out << each.name; }

std::vector<SumCase> sum_cases() {
  return {
      {"ACaptureOfAScan",
       [](const Parts& p) {
         const auto body = [&](const Tensor& c) { return c * p.b + p.b * 0.1 + p.b * p.a; };
         return p.scanned(p.a * p.b, body) * p.x + p.b * 3.0 + p.a * p.x;
       }},
      {"AnInitialValueOfAScan",
       [](const Parts& p) {
         const auto body = [&](const Tensor& c) { return c * c + c * 0.1 + p.b * p.a; };
         return p.scanned(p.b, body) * p.x + p.b * 3.0;
       }},
      {"StackedInputsOfAScan",
       [](const Parts& p) {
         const auto body = [&](const Tensors& carry, const Tensors& xs) {
           return ScanResult<Tensor>{{carry[0] * xs[0] + xs[0] * reduce_sum(p.b)},
                                     {carry[0] * xs[0]}};
         };
         const auto scanned = scan(body, {reduce_sum(p.b * p.a)}, {p.b}, {});
         return scanned.ys[0] * p.x + p.b * 3.0 + scanned.carry[0];
       }},
      {"OneInitialValueTwice",
       [](const Parts& p) {
         ScanOptions options;
         options.length = 3;
         const auto body = [&](const Tensors& carry, const Tensors&) {
           return ScanResult<Tensor>{{carry[0] * 0.5 + carry[1], carry[1] * p.b + carry[0]}, {}};
         };
         return scan(body, {p.b, p.b}, {}, options).carry[0] * p.x + p.b * p.b;
       }},
      {"ACaptureOfALoop",
       [](const Parts& p) {
         const auto body = [&](const Tensor& c) { return c * c + c * p.b + p.b * p.a; };
         return p.looped(p.b, body) * p.b + p.b * 3.0;
       }},
      {"ACaptureOfABranch",
       [](const Parts& p) {
         return p.chosen([&] { return p.b * p.x + p.b * p.a + p.b * 0.3; },
                         [&] { return p.b * p.a * p.b; }) *
                    p.b +
                p.b * 3.0 + p.a * 2.0;
       }},
      {"ACaptureOfOneBranchAlone",
       [](const Parts& p) {
         return p.chosen([&] { return p.a * 1.5; }, [&] { return p.b * p.a * p.b; }) * p.x +
                p.b * 3.0;
       }},
      {"ABranchInAScan",
       [](const Parts& p) {
         const auto body = [&](const Tensor& c) {
           return p.chosen([&] { return c * p.b + p.b * 0.3 + p.a * p.b; },
                           [&] { return c + p.b * c; });
         };
         return p.scanned(p.a, body) * p.x + p.b * 3.0 + p.a * 2.0;
       }},
      {"AScanInABranch",
       [](const Parts& p) {
         const auto body = [&](const Tensor& c) { return c * p.b + p.b * 0.1 + p.b * p.a; };
         return p.chosen([&] { return p.scanned(p.a * p.b, body); },
                         [&] { return p.b * p.x * p.a; }) *
                    p.x +
                p.b * 3.0;
       }},
      {"AScanInAScan",
       [](const Parts& p) {
         const auto inner = [&](const Tensor& d) { return d * p.b + p.b * 0.1; };
         const auto body = [&](const Tensor& c) { return p.scanned(c * p.b, inner) + p.b * 0.2; };
         return p.scanned(p.a, body) * p.x + p.b * 3.0 + p.a * 0.5;
       }},
      {"AGradientOfAScan",
       [](const Parts& p) {
         const auto body = [&](const Tensor& c) { return c * 0.7 + p.b * 0.1; };
         const Tensor loss = reduce_sum(p.a * p.a * p.scanned(p.a * p.b, body) + p.a * p.x);
         return grad({loss}, {p.a}, {}, true, true)[0] * p.b + p.b * 3.0;
       }},
  };
}

class TracedSumsTest : public eager::EagerTest, public ::testing::WithParamInterface<SumCase> {
 protected:
  using Floats = std::vector<float>;

  // Returns the gradients of the parameters, by one call; a parameter that took no part has none.
  static std::vector<Floats> gradients(unsigned seed, bool compiles) {
    std::mt19937 numbers(seed);
    const auto drawn = [&] {
      Floats values(kElements);
      for (float& value : values) value = 0.00123F * (static_cast<float>(numbers() % 2000) - 1000);
      return Tensor::from<float>(values, {kElements});
    };
    Parts parts{drawn(), drawn(), drawn()};
    parts.a.set_requires_grad();
    parts.b.set_requires_grad();
    const auto step = [&](const Tensors& in) -> Tensors {
      const Parts inside{parts.a, parts.b, in[0]};
      const Tensor loss = reduce_sum(GetParam().result(inside));
      loss.backward();
      return {loss};
    };
    if (compiles) {
      compile(step, {parts.x}, {}, CompileOptions::exact())({parts.x});
    } else {
      step({parts.x});
    }
    std::vector<Floats> found;
    for (const Tensor& parameter : {parts.a, parts.b}) {
      found.push_back(parameter.grad().defined() ? floats(parameter.grad()) : Floats(kElements));
    }
    return found;
  }
};

TEST_P(TracedSumsTest, AreRoundedAsImperativeOnesAre) {
  for (unsigned seed = 0; seed < kDraws; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(gradients(seed, /*compiles=*/true), gradients(seed, /*compiles=*/false));
  }
}

// Rows and dense parts of one gradient, which a scan adds to.
using TracedRowsTest = eager::EagerTest;

TEST_F(TracedRowsTest, KeepDensePartsBesideRows) {
  const auto gradient = [](bool compiles) {
    Tensor w = Tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
    w.set_requires_grad();
    const Tensor ids = Tensor::from<std::int64_t>({1, 3}, {2});
    const auto step = [&](const Tensors& in) -> Tensors {
      ScanOptions options;
      options.length = 2;
      const Tensor scanned = scan(
                                 [&](const Tensors& carry, const Tensors&) {
                                   return ScanResult<Tensor>{{carry[0] + w * 0.5}, {}};
                                 },
                                 {in[0]}, {}, options)
                                 .carry[0];
      const Tensor looked_up = reduce_sum(embedding(w, ids));
      const Tensor loss = reduce_sum(scanned) + reduce_sum(w * 3.0) + looked_up;
      loss.backward();
      return {loss};
    };
    const Tensor x = full({4, 2}, 1);
    if (compiles) {
      compile(step, {x}, {}, CompileOptions::exact())({x});
    } else {
      step({x});
    }
    return floats(w.grad());
  };
  EXPECT_THAT(gradient(/*compiles=*/false), ::testing::ElementsAre(4, 4, 5, 5, 4, 4, 5, 5));
  EXPECT_THAT(gradient(/*compiles=*/true), ::testing::ElementsAre(4, 4, 5, 5, 4, 4, 5, 5));
}

INSTANTIATE_TEST_SUITE_P(Sums, TracedSumsTest, ::testing::ValuesIn(sum_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace loci::tracing
