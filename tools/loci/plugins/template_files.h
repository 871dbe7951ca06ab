// The files of plugins/template and plugins/template_<kind>, which the build puts into the runner.
#pragma once

#include <vector>

namespace loci::runner {

struct TemplateFile {
  const char* kind;  // of plugin
  const char* name;
  const char* text;
};

// In the order of their names, kind after kind.
const std::vector<TemplateFile>& template_files();

}  // namespace loci::runner
