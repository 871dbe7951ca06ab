#include "framework/eager/node.h"

#include "framework/eager/copy_node.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class NodeTest : public EagerTest {};

TEST_F(NodeTest, AnEdgeLeadsToTheLeafOrTheNode) {
  EXPECT_FALSE(edge_of(vector({1})).defined());
  const Tensor leaf = variable({1});
  EXPECT_EQ(edge_of(leaf).leaf, leaf.impl());
  const Tensor result = leaf * 2.0;
  EXPECT_NE(edge_of(result).node, nullptr);
  EXPECT_TRUE(requires_grad(result));
}

TEST_F(NodeTest, AnAliasGoesOnWhereTheEdgeLeads) {
  const Tensor result = variable({1}) * 2.0;
  const Tensor alias = attached(result.detach(), edge_of(result));
  EXPECT_EQ(edge_of(alias).node, edge_of(result).node);
  EXPECT_EQ(alias.impl()->storage(), result.impl()->storage());
}

TEST_F(NodeTest, NumbersGrow) {
  const Tensor leaf = variable({1});
  const Tensor first = leaf * 2.0;
  const Tensor second = leaf * 2.0;
  EXPECT_LT(edge_of(first).node->number(), edge_of(second).node->number());
}

TEST_F(NodeTest, ALongChainEndsWithoutRecursion) {
  Tensor tensor = variable({1});
  for (int i = 0; i < 200000; ++i) {
    const Tensor next = tensor.detach();
    record_copy(tensor, next, {});
    tensor = next;
  }
  EXPECT_TRUE(requires_grad(tensor));
}

}  // namespace
}  // namespace loci::eager
