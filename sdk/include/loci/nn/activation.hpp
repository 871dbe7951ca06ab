// Functions of loci/ops.hpp as modules without parameters.
#pragma once

#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

class LOCI_PUBLIC ReLU : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "ReLU"; }
};

class LOCI_PUBLIC Sigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Sigmoid"; }
};

class LOCI_PUBLIC Tanh : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Tanh"; }
};

class LOCI_PUBLIC GELU : public Module {
 public:
  explicit GELU(bool approximate = false) : approximate_(approximate) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "GELU"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  bool approximate_;
};

class LOCI_PUBLIC Hardsigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Hardsigmoid"; }
};

class LOCI_PUBLIC Hardswish : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Hardswish"; }
};

class LOCI_PUBLIC CELU : public Module {
 public:
  explicit CELU(double alpha = 1) : alpha_(alpha) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "CELU"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  double alpha_;
};

class LOCI_PUBLIC ELU : public Module {
 public:
  explicit ELU(double alpha = 1) : alpha_(alpha) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "ELU"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  double alpha_;
};

class LOCI_PUBLIC LeakyReLU : public Module {
 public:
  explicit LeakyReLU(double negative_slope = 0.01) : negative_slope_(negative_slope) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "LeakyReLU"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  double negative_slope_;
};

class LOCI_PUBLIC Mish : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Mish"; }
};

class LOCI_PUBLIC SELU : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "SELU"; }
};

class LOCI_PUBLIC SiLU : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "SiLU"; }
};

// softplus(beta * x) / beta. Throws Error(kInvalidArgument) for a beta that is zero or not finite.
class LOCI_PUBLIC Softplus : public Module {
 public:
  explicit Softplus(double beta = 1);

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Softplus"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  double beta_;
};

class LOCI_PUBLIC Softsign : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Softsign"; }
};

class LOCI_PUBLIC Softmax : public Module {
 public:
  explicit Softmax(int axis = -1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Softmax"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  int axis_;
};

class LOCI_PUBLIC LogSoftmax : public Module {
 public:
  explicit LogSoftmax(int axis = -1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "LogSoftmax"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  int axis_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
