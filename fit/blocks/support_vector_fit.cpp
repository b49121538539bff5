#include "fit/blocks/support_vector_fit.h"

#include <libsvm/svm.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace scalediag::fit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct ModelDeleter {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

struct Scaling {
  double mean = 0, deviation = 1;
};

Scaling scaling_of(const VectorXd& values) {
  const double mean = values.mean();
  const double deviation = std::sqrt((values.array() - mean).square().mean());
  return {mean, deviation > 0 ? deviation : 1};
}

// The weights of support vectors, by row of z, and the offset, both in standard deviations of y.
struct Trained {
  std::vector<std::pair<Index, double>> weights;
  double offset = 0;
  bool stopped_early = false;
};

// libsvm does not return that its solver has reached the largest number of iterations: it prints that on stderr, past
// the function that prints the rest. What libsvm prints while this exists is kept instead. Not for several threads.
class Captured {
 public:
  Captured() : kept_(open_memstream(&text_, &bytes_)), own_(stderr) {
    svm_set_print_string_function([](const char*) {});
    if (kept_ != nullptr) stderr = kept_;
  }
  ~Captured() {
    stderr = own_;
    if (kept_ != nullptr) std::fclose(kept_);
    std::free(text_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  bool any() const { return kept_ != nullptr && std::fflush(kept_) == 0 && bytes_ > 0; }

 private:
  char* text_ = nullptr;
  size_t bytes_ = 0;
  FILE* kept_;
  FILE* own_;
};

core::Result<Trained> train(const MatrixXd& z, const VectorXd& y, int kernel, double gamma,
                            const SupportVectorOptions& options) {
  const auto width = static_cast<size_t>(z.cols()) + 1;
  std::vector<svm_node> nodes(static_cast<size_t>(z.rows()) * width);
  std::vector<svm_node*> rows;
  for (Index i = 0; i < z.rows(); ++i) {
    svm_node* row = &nodes[static_cast<size_t>(i) * width];
    for (Index j = 0; j < z.cols(); ++j) row[j] = {static_cast<int>(j) + 1, z(i, j)};
    row[z.cols()] = {-1, 0};
    rows.push_back(row);
  }
  std::vector<double> targets(y.data(), y.data() + y.size());
  const svm_problem problem = {static_cast<int>(z.rows()), targets.data(), rows.data()};
  svm_parameter parameters{};
  parameters.svm_type = EPSILON_SVR;
  parameters.kernel_type = kernel;
  parameters.gamma = gamma;
  parameters.cache_size = 100;
  parameters.eps = 1e-3;
  parameters.C = options.cost;
  parameters.p = options.epsilon;
  parameters.shrinking = 1;
  if (const char* wrong = svm_check_parameter(&problem, &parameters)) {
    return core::Error{core::ErrorCode::kInput, std::string("support vector regression: ") + wrong, "", ""};
  }
  Trained trained;
  const std::unique_ptr<svm_model, ModelDeleter> model([&] {
    const Captured captured;
    svm_model* const made = svm_train(&problem, &parameters);
    trained.stopped_early = captured.any();
    return made;
  }());
  trained.offset = -model->rho[0];
  for (int i = 0; i < model->l; ++i) trained.weights.emplace_back(model->sv_indices[i] - 1, model->sv_coef[0][i]);
  return trained;
}

}  // namespace

core::Result<LinearFit> linear_support_vectors(const MatrixXd& x, const VectorXd& y,
                                               const SupportVectorOptions& options) {
  const std::vector<Index> used = used_columns(stepwise_regression(x, y));
  const Scaling of_y = scaling_of(y);
  LinearFit fit{of_y.mean, VectorXd::Zero(x.cols())};
  if (used.empty()) return fit;
  MatrixXd z(x.rows(), static_cast<Index>(used.size()));
  std::vector<Scaling> scalings;
  for (size_t j = 0; j < used.size(); ++j) {
    scalings.push_back(scaling_of(x.col(used[j])));
    z.col(static_cast<Index>(j)) = (x.col(used[j]).array() - scalings[j].mean) / scalings[j].deviation;
  }
  // Uncorrelated directions of the columns, each with a standard deviation of 1.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(z.transpose() * z / static_cast<double>(z.rows()));
  const MatrixXd rotation =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(1e-14).cwiseSqrt().cwiseInverse().asDiagonal();
  const MatrixXd rotated = z * rotation;
  const VectorXd scaled_y = (y.array() - of_y.mean) / of_y.deviation;
  const auto trained = train(rotated, scaled_y, LINEAR, 0, options);
  if (!trained) return trained.error();
  VectorXd direction = VectorXd::Zero(rotated.cols());
  for (const auto& [row, weight] : trained.value().weights) direction += weight * rotated.row(row).transpose();
  const VectorXd coefficients = rotation * direction;
  fit.intercept += trained.value().offset * of_y.deviation;
  fit.stopped_early = trained.value().stopped_early;
  for (size_t j = 0; j < used.size(); ++j) {
    const double coefficient = coefficients[static_cast<Index>(j)] * of_y.deviation / scalings[j].deviation;
    fit.coefficients[used[j]] = coefficient;
    fit.intercept -= coefficient * scalings[j].mean;
  }
  return fit;
}

double RadialFit::value(const VectorXd& row) const {
  const VectorXd z = (row - means).cwiseQuotient(scales);
  double sum = offset;
  for (Index i = 0; i < vectors.rows(); ++i) {
    sum += weights[i] * std::exp(-gamma * (z - vectors.row(i).transpose()).squaredNorm());
  }
  return sum;
}

core::Result<RadialFit> radial_support_vectors(const MatrixXd& x, const VectorXd& y,
                                               const SupportVectorOptions& options) {
  const Scaling of_y = scaling_of(y);
  RadialFit fit;
  fit.means.resize(x.cols());
  fit.scales.resize(x.cols());
  MatrixXd z(x.rows(), x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    const Scaling scaling = scaling_of(x.col(j));
    fit.means[j] = scaling.mean;
    fit.scales[j] = scaling.deviation;
    z.col(j) = (x.col(j).array() - scaling.mean) / scaling.deviation;
  }
  fit.gamma = 1 / static_cast<double>(std::max<Index>(1, x.cols()));
  const auto trained = train(z, (y.array() - of_y.mean) / of_y.deviation, RBF, fit.gamma, options);
  if (!trained) return trained.error();
  fit.offset = of_y.mean + trained.value().offset * of_y.deviation;
  fit.stopped_early = trained.value().stopped_early;
  fit.vectors.resize(static_cast<Index>(trained.value().weights.size()), z.cols());
  fit.weights.resize(fit.vectors.rows());
  Index i = 0;
  for (const auto& [row, weight] : trained.value().weights) {
    fit.vectors.row(i) = z.row(row);
    fit.weights[i++] = weight * of_y.deviation;
  }
  return fit;
}

}  // namespace scalediag::fit
