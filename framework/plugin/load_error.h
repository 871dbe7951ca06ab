// Why a candidate cannot be used.
#pragma once

#include <loci/error.hpp>
#include <string>
#include <utility>

namespace loci::plugin {

// Thrown within the loader, which keeps cause and remedy in the candidate's report. Both are one
// line, and neither names the file: the report does.
class LoadError : public Error {
 public:
  LoadError(ErrorCode code, std::string cause, std::string remedy)
      : Error(code, "[plugin] " + cause + "; " + remedy),
        cause_(std::move(cause)),
        remedy_(std::move(remedy)) {}

  [[nodiscard]] const std::string& cause() const { return cause_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  std::string cause_;
  std::string remedy_;
};

}  // namespace loci::plugin
