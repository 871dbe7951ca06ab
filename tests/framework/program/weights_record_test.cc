#include "framework/program/weights_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <string>

#include "framework/program/json_form.h"

namespace loci::program {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class WeightsRecordTest : public ::testing::Test {
 protected:
  // A program file with this text as the member.
  static std::string file(const std::string& member) {
    std::string json = to_json(ProgramImpl(), nullptr);
    json.erase(json.rfind("\n}"));
    return json + ",\n  \"weights\": " + member + "\n}\n";
  }
  static WeightsRecord read(const std::string& json) { return from_json(json, "net.json").weights; }

  static void expect_refused(const std::string& member, const std::string& reason) {
    EXPECT_THAT([&] { (void)read(file(member)); },
                ThrowsMessage<Error>(HasSubstr("[program] net.json: weights" + reason)));
  }
  static std::string member(const std::string& name, const std::string& bytes = "8",
                            const std::string& header = "xxh64:0123456789abcdef",
                            const std::string& content = "xxh64:0000000000000000") {
    return R"({"file": ")" + name + R"(", "bytes": )" + bytes + R"(, "header": ")" + header +
           R"(", "content": ")" + content + R"("})";
  }
};

TEST_F(WeightsRecordTest, IsReadAsItWasWritten) {
  std::string json = to_json(ProgramImpl(), nullptr);
  EXPECT_FALSE(read(json).is_given);
  std::string named = json;
  add_weights_record(named, {.is_given = true, .file = WeightsFile{"w.safetensors", 99, 1, ~0ULL}});
  const WeightsRecord record = read(named);
  ASSERT_TRUE(record.is_given && record.file);
  EXPECT_EQ(record.file->name, "w.safetensors");
  EXPECT_EQ(record.file->bytes, 99U);
  EXPECT_EQ(record.file->header, 1U);
  EXPECT_EQ(record.file->content, ~0ULL);
  add_weights_record(json, {.is_given = true, .file = {}});
  EXPECT_THAT(json, HasSubstr("\"weights\": null\n}\n"));
  EXPECT_TRUE(read(json).is_given);
  EXPECT_FALSE(read(json).file.has_value());
}

TEST_F(WeightsRecordTest, NamesAFileBesideTheProgram) {
  EXPECT_EQ(read(file(member("weights.bin"))).file->name, "weights.bin");
  for (const std::string name : {"", ".", "..", "../other", "/etc/passwd", "a/b", "nul\\u0000"}) {
    expect_refused(member(name), ".file: '");
  }
  expect_refused(member(std::string(256, 'x')), ".file: 'xxx");
}

TEST_F(WeightsRecordTest, RefusesWhatIsNone) {
  expect_refused("\"w.safetensors\"", ": is string; an object is needed");
  expect_refused("{}", ": has no member 'file'; add it");
  expect_refused("{\"fille\": 1}", ": has an unknown member 'fille'");
  expect_refused(member("w", "-1"), ".bytes: -1 is not in [0, ");
  expect_refused(member("w", "1.5"), ".bytes: is number; an integer is needed");
  expect_refused(member("w", "8", "0123"),
                 ".header: '0123' is not a digest, such as xxh64:0123456789abcdef");
  expect_refused(member("w", "8", "xxh64:0123456789abcdef", "xxh64:"), ".content: 'xxh64:'");
}

}  // namespace
}  // namespace loci::program
