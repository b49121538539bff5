#include "fit/blocks/support_vector_fit.h"

#include <libsvm/svm.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
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

Result<Trained> train(const MatrixXd& z, const VectorXd& y, int kernel, double gamma,
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
    return Error{ErrorCode::kInput, std::string("support vector regression: ") + wrong};
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

Result<LinearFit> linear_support_vectors(const MatrixXd& x, const VectorXd& y, const SupportVectorOptions& options) {
  const std::vector<Index> used = used_columns(stepwise_regression(x, y));
  const Standardised of_y = standardised(y), of_x = standardised(x, used);
  if (used.empty()) return LinearFit{of_y.means[0], VectorXd::Zero(x.cols())};
  const MatrixXd& z = of_x.columns;
  // Uncorrelated directions of the columns, each with a standard deviation of 1.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(z.transpose() * z / static_cast<double>(z.rows()));
  const MatrixXd rotation =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(1e-14).cwiseSqrt().cwiseInverse().asDiagonal();
  const MatrixXd rotated = z * rotation;
  const auto trained = TRY(train(rotated, of_y.columns.col(0), LINEAR, 0, options));
  VectorXd direction = VectorXd::Zero(rotated.cols());
  for (const auto& [row, weight] : trained.weights) direction += weight * rotated.row(row).transpose();
  LinearFit fit = unscaled(rotation * direction * of_y.scales[0], of_y.means[0] + trained.offset * of_y.scales[0], of_x,
                           used, x.cols());
  fit.stopped_early = trained.stopped_early;
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

Result<RadialFit> radial_support_vectors(const MatrixXd& x, const VectorXd& y, const SupportVectorOptions& options) {
  const Standardised of_y = standardised(y), of_x = standardised(x);
  const MatrixXd& z = of_x.columns;
  RadialFit fit;
  fit.means = of_x.means;
  fit.scales = of_x.scales;
  fit.gamma = 1 / static_cast<double>(std::max<Index>(1, x.cols()));
  const auto trained = TRY(train(z, of_y.columns.col(0), RBF, fit.gamma, options));
  fit.offset = of_y.means[0] + trained.offset * of_y.scales[0];
  fit.stopped_early = trained.stopped_early;
  fit.vectors.resize(static_cast<Index>(trained.weights.size()), z.cols());
  fit.weights.resize(fit.vectors.rows());
  Index i = 0;
  for (const auto& [row, weight] : trained.weights) {
    fit.vectors.row(i) = z.row(row);
    fit.weights[i++] = weight * of_y.scales[0];
  }
  return fit;
}

}  // namespace scalediag::fit
