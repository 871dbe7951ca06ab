// Records the calls that a gradient makes, as text.
#pragma once

#include <string>
#include <vector>

#include "framework/ops/grad_context.h"

namespace loci::test_support {

// Every call goes through the schema: its attributes are completed, its types inferred.
class RecordingEmitter final : public ops::Emitter {
 public:
  // A value that no call made.
  ops::Value add(std::string name, const ops::TensorType& type);

  std::vector<ops::Value> emit(const OpCall<ops::Value>& call) override;
  [[nodiscard]] ops::TensorType type(ops::Value value) const override;

  // "%0 = matmul(x: d_out, y: y, transpose_y: true)", in order. The call's results are %0.0, %0.1,
  // ... if there are several. Attributes that have their default are left out.
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }
  [[nodiscard]] std::string name(ops::Value value) const;

 private:
  struct Entry {
    std::string name;
    ops::TensorType type;
  };
  std::vector<Entry> values_;
  std::vector<std::string> calls_;
};

}  // namespace loci::test_support
