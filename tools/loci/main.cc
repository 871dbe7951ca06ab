// The runner: loci SUBCOMMAND [options].
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <loci/plugin/terminal_text.hpp>
#include <loci/settings.hpp>
#include <new>
#include <string>
#include <vector>

#include "tools/loci/command.h"
#include "tools/loci/failure.h"

namespace {

using loci::runner::ExitCode;
using loci::runner::Phase;

int report(ExitCode code, const std::string& message, const std::string& details) {
  std::string text = "loci: error: " + message + "\n" + details;
  if (text.back() != '\n') text += '\n';
  std::fputs(loci::sdk::terminal_text(text).c_str(), stderr);
  return static_cast<int>(code);
}

int run(const std::vector<std::string>& arguments) {
  try {
    return static_cast<int>(loci::runner::dispatch(arguments));
  } catch (const loci::runner::Failure& failure) {
    return report(failure.code(), failure.what(), failure.details());
  } catch (const loci::Error& error) {
    return report(loci::runner::exit_code(error.code(), Phase::kRun), error.what(),
                  error.details());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::kFailed, "out of host memory", {});
  } catch (const std::exception& error) {
    return report(ExitCode::kFailed, error.what(), {});
  }
}

}  // namespace

int main(int argc, char** argv) { return run({argv, argv + argc}); }
