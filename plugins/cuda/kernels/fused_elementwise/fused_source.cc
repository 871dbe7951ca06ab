#include "kernels/fused_elementwise/fused_source.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/fused_elementwise/fused_step_text.h"

namespace loci::cuda {
namespace {

// How an input repeats along the elements of the outputs.
enum class Reach {
  kWhole,   // it has their shape
  kOne,     // one element for all of them
  kAlong,   // it advances along the innermost axis, and repeats along others
  kAcross,  // it repeats along the innermost axis, and advances along others
};

Reach reach_of(const FusedAxes& axes, int input) {
  bool is_whole = true;
  bool is_one = true;
  std::int64_t dense = 1;
  for (int i = 0; i < axes.rank; ++i) {
    const std::int64_t step = axes.axes[i].steps[input];
    is_whole = is_whole && step == dense;
    is_one = is_one && step == 0;
    dense *= axes.axes[i].extent;
  }
  if (is_one) return Reach::kOne;
  if (is_whole) return Reach::kWhole;
  return axes.axes[0].steps[input] != 0 ? Reach::kAlong : Reach::kAcross;
}

struct TypeText {
  std::string_view element;
  std::string_view held;
  int bytes;
};

// The texts of types, indexed by FusedType.
constexpr std::array<TypeText, 13> kTypes = {{
    {"std::uint8_t", "std::uint64_t", 1},
    {"__half", "float", 2},
    {"__nv_bfloat16", "float", 2},
    {"float", "float", 4},
    {"double", "double", 8},
    {"std::int8_t", "std::int64_t", 1},
    {"std::int16_t", "std::int64_t", 2},
    {"std::int32_t", "std::int64_t", 4},
    {"std::int64_t", "std::int64_t", 8},
    {"std::uint8_t", "std::uint64_t", 1},
    {"std::uint16_t", "std::uint64_t", 2},
    {"std::uint32_t", "std::uint64_t", 4},
    {"std::uint64_t", "std::uint64_t", 8},
}};

const TypeText& text_of(FusedType type) { return kTypes[static_cast<std::size_t>(type)]; }

template <class Number>
std::string numbered(char letter, Number number) {
  return letter + std::to_string(number);
}

// "fused_mul_gelu": the name that a profile shows.
std::string name_of(const sdk::FusedExpression& expression) {
  constexpr std::size_t kNamed = 6;
  constexpr std::string_view kPrefix = "elementwise_";
  std::string name = "fused";
  const std::size_t count = expression.steps.size();
  const std::size_t named = count > kNamed + 1 ? kNamed : count;
  for (std::size_t i = 0; i < named; ++i) {
    std::string_view op = expression.steps[i].op->name;
    if (op.substr(0, kPrefix.size()) == kPrefix) op.remove_prefix(kPrefix.size());
    name.append("_").append(op);
  }
  if (named < count) name += "_and_" + std::to_string(count - named) + "_more";
  return name;
}

class Writer {
 public:
  Writer(const FusedProgram& program, const sdk::FusedExpression& expression)
      : program_(program), expression_(expression), inputs_(expression.inputs) {
    for (int i = 0; i < program.input_count; ++i) reaches_.push_back(reach_of(program.axes, i));
    for (const std::uint32_t value : expression.results) {
      outputs_.push_back(program.steps[value - inputs_].to);
    }
    choose_lanes();
  }

  FusedSource write() {
    const std::string function = elements();
    source_.name = name_of(expression_);
    source_.text =
        "#include \"kernels/fused_elementwise/fused_chain.cuh\"\n\nnamespace loci::cuda {\n\n" +
        function + kernel() + "\n}  // namespace loci::cuda\n";
    return std::move(source_);
  }

 private:
  // The longest type fills 16 bytes, as long as copies of long functions do not fill the kernel.
  void choose_lanes() {
    constexpr int kMostCopies = 32;
    int bytes = 1;
    int copies = 0;
    for (int i = 0; i < program_.input_count; ++i) {
      bytes = std::max(bytes, text_of(program_.types[i]).bytes);
    }
    for (const FusedType type : outputs_) bytes = std::max(bytes, text_of(type).bytes);
    for (int i = 0; i < program_.step_count; ++i) {
      copies += copies_of(text_of_step(program_.steps[i].op).length, kMostCopies);
    }
    source_.lanes = 16 / bytes;
    while (source_.lanes > 1 && source_.lanes * copies > kMostCopies) source_.lanes /= 2;
    const auto is_located = [](Reach reach) {
      return reach == Reach::kAlong || reach == Reach::kAcross;
    };
    source_.has_axes = std::any_of(reaches_.begin(), reaches_.end(), is_located);
  }

  static int copies_of(StepLength length, int most) {
    if (length == StepLength::kLoop) return most;
    return length == StepLength::kLong ? 1 : 0;
  }

  std::string constant(std::string_view type, std::uint64_t bits) {
    std::string name = numbered('c', source_.constants.size());
    source_.constants.push_back(bits);
    constant_parameters_ += std::string(type) + " " + name + ", ";
    constant_arguments_ += name + ", ";
    return name;
  }

  // The expression of step `number`.
  std::string step_text(std::size_t number) {
    const FusedStep& step = program_.steps[number];
    const auto& operands = expression_.steps[number].operands;
    const StepText& known = text_of_step(step.op);
    source_.has_mathematics |= known.is_library_function;
    std::string text;
    for (std::size_t i = 0; i < known.text.size(); ++i) {
      const char c = known.text[i];
      if (c != '$') {
        text += c;
        continue;
      }
      text += replacement(known.text[++i], step, operands);
    }
    return text;
  }

  std::string replacement(char what, const FusedStep& step,
                          const std::vector<std::uint32_t>& operands) {
    const std::string_view held = text_of(step.from).held;
    switch (what) {
      case 'x': return numbered('v', operands[0]);
      case 'y': return numbered('v', operands[1]);
      case 'z': return numbered('v', operands[2]);
      case 'C': return std::string(held);
      case 'a': return constant(held, step.constants[0]);
      case 'b': return constant(held, step.constants[1]);
      case 'p': return constant("double", step.constants[0]);
      default: return constant("double", step.constants[1]);
    }
  }

  // Rounds the text of a value to the step's type.
  static std::string rounded(const FusedStep& step, const std::string& value) {
    if (!text_of_step(step.op).is_rounded) return value;
    if (step.to == FusedType::kBool) return "truth(" + value + ")";
    const std::string function = step.op == FusedOp::kCast ? "cast_to<" : "rounded<";
    return function + std::string(text_of(step.to).element) + ">(" + value + ")";
  }

  // A function of one element of each input and output.
  std::string elements() {
    std::string body;
    std::string parameters;
    for (std::size_t i = 0; i < inputs_; ++i) {
      const TypeText& type = text_of(program_.types[i]);
      parameters += std::string(type.element) + " " + numbered('x', i) + ", ";
      body += "  const " + std::string(type.held) + " " + numbered('v', i) + " = value_of(" +
              numbered('x', i) + ");\n";
    }
    for (std::size_t i = 0; i < expression_.steps.size(); ++i) {
      const FusedStep& step = program_.steps[i];
      body += "  const " + std::string(text_of(step.to).held) + " " + numbered('v', inputs_ + i) +
              " = " + rounded(step, step_text(i)) + ";\n";
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const std::string element(text_of(outputs_[o]).element);
      parameters += element + "& " + numbered('y', o) + ", ";
      body += "  " + numbered('y', o) + " = element_of<" + element + ">(" +
              numbered('v', expression_.results[o]) + ");\n";
    }
    parameters.resize(parameters.size() - 2);
    return "__device__ __forceinline__ void elements(" + constant_parameters_ + parameters +
           ") {\n" + body + "}\n\n";
  }

  std::string kernel() {
    const std::string step = source_.lanes > 1 ? vectors() : std::string();
    return "extern \"C\" __global__ void __launch_bounds__(kBlockThreads)\n    " + source_.name +
           "(" + kernel_parameters() + ") {\n" +
           "  const Turns turn = turns();\n  std::int64_t done = 0;\n" + single_elements() + step +
           "#pragma unroll 1\n" +
           "  for (std::int64_t i = done + turn.first; i < count; i += turn.step) {\n" +
           location() + "    elements(" + constant_arguments_ + arguments(false) + ");\n  }\n}\n";
  }

  [[nodiscard]] std::string kernel_parameters() const {
    std::string text = "std::int64_t count, ";
    if (source_.has_axes) text += "const __grid_constant__ FusedAxes axes, ";
    text += constant_parameters_;
    for (std::size_t i = 0; i < inputs_; ++i) {
      text += "const " + std::string(text_of(program_.types[i]).element) + "* " + numbered('x', i) +
              ", ";
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      text += std::string(text_of(outputs_[o]).element) + "* " + numbered('y', o) + ", ";
    }
    text.resize(text.size() - 2);
    return text;
  }

  [[nodiscard]] std::string single_elements() const {
    std::string text;
    for (std::size_t i = 0; i < inputs_; ++i) {
      if (reaches_[i] != Reach::kOne) continue;
      text += "  const auto e" + std::to_string(i) + " = *" + numbered('x', i) + ";\n";
    }
    return text;
  }

  [[nodiscard]] std::string location() const {
    return source_.has_axes ? "    const auto at = locate(axes, i);\n" : "";
  }

  [[nodiscard]] std::string place(std::size_t input) const {
    if (reaches_[input] == Reach::kWhole) return "i";
    return "at.of[" + std::to_string(input) + "]";
  }

  // Returns the arguments for a lane of vectors, or for the element at i.
  [[nodiscard]] std::string arguments(bool is_lane) const {
    std::string text;
    for (std::size_t i = 0; i < inputs_; ++i) {
      if (reaches_[i] == Reach::kOne) {
        text += numbered('e', i);
      } else if (!is_lane) {
        text += numbered('x', i) + "[" + place(i) + "]";
      } else {
        text += numbered('a', i) + (reaches_[i] == Reach::kAcross ? "" : ".lanes[lane]");
      }
      text += ", ";
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      text += is_lane ? numbered('b', o) + ".lanes[lane], " : numbered('y', o) + "[i], ";
    }
    text.resize(text.size() - 2);
    return text;
  }

  [[nodiscard]] std::string loads() const {
    std::string text;
    for (std::size_t i = 0; i < inputs_; ++i) {
      if (reaches_[i] == Reach::kOne) continue;
      text += "      const auto " + numbered('a', i) + " = ";
      if (reaches_[i] == Reach::kAcross) {
        text += numbered('x', i) + "[" + place(i) + "];\n";
      } else {
        text += "load_lanes<" + lanes() + ">(" + numbered('x', i) + " + " + place(i) + ");\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::string lanes() const { return std::to_string(source_.lanes); }

  // Returns the condition that all that advances along the vectors is aligned.
  [[nodiscard]] std::string alignment() const {
    std::string text;
    for (std::size_t i = 0; i < inputs_; ++i) {
      const bool advances = reaches_[i] == Reach::kWhole || reaches_[i] == Reach::kAlong;
      if (advances) text += "is_vector<" + lanes() + ">(" + numbered('x', i) + ") && ";
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      text += "is_vector<" + lanes() + ">(" + numbered('y', o) + ") && ";
    }
    text.resize(text.size() - 4);
    return text;
  }

  [[nodiscard]] std::string vectors() const {
    std::string results;
    std::string stores;
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      results += "      Vector<" + std::string(text_of(outputs_[o]).element) + ", " + lanes() +
                 "> " + numbered('b', o) + ";\n";
      stores += "      store_vector(" + numbered('y', o) + " + i, " + numbered('b', o) + ");\n";
    }
    const std::string among = source_.has_axes ? "(count, axes)" : "(count)";
    return "  if (" + alignment() + ") {\n    done = whole_vectors<" + lanes() + ">" + among +
           ";\n    for (std::int64_t i = turn.first * " + lanes() +
           "; i < done; i += turn.step * " + lanes() + ") {\n" + location() + loads() + results +
           "#pragma unroll\n      for (int lane = 0; lane < " + lanes() + "; ++lane) {\n" +
           "        elements(" + constant_arguments_ + arguments(true) + ");\n      }\n" + stores +
           "    }\n  }\n";
  }

  const FusedProgram& program_;
  const sdk::FusedExpression& expression_;
  const std::size_t inputs_;
  std::vector<Reach> reaches_;      // by input
  std::vector<FusedType> outputs_;  // by output
  std::string constant_parameters_;
  std::string constant_arguments_;
  FusedSource source_{};
};

}  // namespace

FusedSource write_fused_source(const FusedProgram& program,
                               const sdk::FusedExpression& expression) {
  return Writer(program, expression).write();
}

}  // namespace loci::cuda
