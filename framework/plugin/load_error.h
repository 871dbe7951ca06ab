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

// Throws the LoadError for what only the plugin's author can mend.
[[noreturn]] inline void refuse_to_author(std::string cause) {
  throw LoadError(ErrorCode::kIncompatible, std::move(cause),
                  "report it to the plugin's author, who can check it against the SDK's headers");
}

}  // namespace loci::plugin
