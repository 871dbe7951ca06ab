#include "framework/core/dismantle_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace loci::core {
namespace {

using Json = nlohmann::json;

Json nested(int depth) {
  Json json = Json::object();
  json["list"] = {1, "two", Json::array()};
  if (depth > 0) json["below"] = nested(depth - 1);
  return json;
}

TEST(DismantleJsonTest, LeavesTheContainerEmpty) {
  Json object = nested(3);
  dismantle_json(object);
  EXPECT_EQ(object, Json::object());
  Json array = Json::array({nested(2), 1});
  dismantle_json(array);
  EXPECT_EQ(array, Json::array());
}

TEST(DismantleJsonTest, LeavesAValueAsItIs) {
  Json text = "text";
  dismantle_json(text);
  EXPECT_EQ(text, "text");
  Json nothing;
  dismantle_json(nothing);
  EXPECT_TRUE(nothing.is_null());
}

TEST(DismantleJsonTest, AnOwnedDocumentIsReadAsItIs) {
  const OwnedJson owned(nested(1));
  EXPECT_EQ(*owned, nested(1));
  EXPECT_EQ(owned->size(), 2U);
}

}  // namespace
}  // namespace loci::core
