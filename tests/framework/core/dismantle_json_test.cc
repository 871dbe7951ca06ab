#include "framework/core/dismantle_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace loci::core {
namespace {

using Json = nlohmann::json;

Json nested(int depth) {
  Json json = Json::object();
  json["list"] = {1, "two", Json::array()};
  if (depth > 0) json["below"] = nested(depth - 1);
  return json;
}

TEST(DismantleJsonTest, LeavesNull) {
  for (Json json : {nested(3), Json::array({nested(2), 1, Json::array()}), Json("text"), Json(),
                    Json::object()}) {
    dismantle_json(json);
    EXPECT_TRUE(json.is_null());
  }
}

TEST(DismantleJsonTest, TakesADocumentOfAnyDepthApart) {
  constexpr std::size_t kDepth = 1'000'000;
  Json arrays = Json::parse(std::string(kDepth, '[') + "1" + std::string(kDepth, ']'));
  dismantle_json(arrays);
  EXPECT_TRUE(arrays.is_null());
}

TEST(DismantleJsonTest, AnOwnedDocumentIsReadAsItIs) {
  const OwnedJson owned(nested(1));
  EXPECT_EQ(*owned, nested(1));
  EXPECT_EQ(owned->size(), 2U);
}

}  // namespace
}  // namespace loci::core
