#include "framework/capture/dot_file.h"

#include <fstream>
#include <iterator>

#include "tests/framework/capture/graph_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class DotFileTest : public GraphTest {};
LOCI_GRAPH_PLACES(DotFileTest);

TEST_P(DotFileTest, IsDrawn) {
  const test::ScratchDirectory scratch;
  const Tensor x = vector({1});
  Graph graph(place());
  EXPECT_THAT([&] { graph.print_to_dot_files(scratch.path("none")); },
              ThrowsMessage<Error>(HasSubstr("not captured")));
  graph.capture_begin();
  const Tensor y = relu(x + x);
  graph.capture_end();
  graph.print_to_dot_files(scratch.path("graph"));
  std::ifstream file(scratch.path("graph.dot"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(
      text, AllOf(HasSubstr("\"elementwise_add\""), HasSubstr("\"relu\""), HasSubstr("n0 -> n1")));
}

}  // namespace
}  // namespace loci::capture
