#include "fit/curves/fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/parallel.h"
#include "core/regression.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/curves/curve_fitter.h"
#include "fit/curves/fitted_series.h"

namespace scalediag::fit {
namespace {

Error refused(ErrorCode code, std::string message, std::string hint, const Series& s) {
  return {code, std::move(message), std::move(hint), s.kernel.empty() ? s.metric : s.kernel + ", " + s.metric};
}

std::optional<size_t> index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<size_t>(it - names.begin());
}

// The processes' parameter as FitOptions says, or the reason why there is none.
Result<size_t> processes_of(const Series& s, const FitOptions& options) {
  if (s.parameter_names.empty())
    return refused(ErrorCode::kInput, "the series has no parameter", "name the number of processes", s);
  for (const std::string& asked : {options.processes, options.size})
    if (!asked.empty() && !index_of(s.parameter_names, asked))
      return refused(ErrorCode::kUsage, "there is no parameter '" + asked + "'",
                     "the parameters are " + core::join(s.parameter_names), s);
  if (!options.processes.empty()) return *index_of(s.parameter_names, options.processes);
  return named_processes(s.parameter_names).value_or(0);
}

// Parameters with more than one value, the processes first.
std::vector<size_t> varying(const std::vector<Point>& points, size_t parameters, size_t processes) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < parameters; d++) {
    const double first = points.front().at[d];
    if (std::ranges::any_of(points, [&](const Point& p) { return p.at[d] != first; })) dims.push_back(d);
  }
  const auto it = std::find(dims.begin(), dims.end(), processes);
  if (it != dims.end()) std::rotate(dims.begin(), it, it + 1);
  return dims;
}

// Whether the other parameters follow from the first one, so that the series is one curve along it: no value of the
// first occurs twice, and each other one is a power of it, but for the rounding of whole numbers (edges of cubes).
bool is_path(const std::vector<Point>& points, const std::vector<size_t>& dims) {
  constexpr double kRounding = 0.1;
  std::set<double> seen;
  for (const Point& p : points)
    if (!seen.insert(p.at[dims.front()]).second) return false;
  const auto logarithms = [&points](size_t dimension) {
    std::vector<double> all;
    for (const Point& p : points) all.push_back(std::log(p.at[dimension]));
    return all;
  };
  const std::vector<double> x = logarithms(dims.front());
  for (size_t i = 1; i < dims.size(); i++) {
    const std::vector<double> y = logarithms(dims[i]);
    const auto line = core::line_through(x, y);
    for (size_t p = 0; line && p < points.size(); ++p) {
      if (std::abs(y[p] - line->mean_y - line->slope * (x[p] - line->mean_x)) > kRounding) return false;
    }
  }
  return true;
}

// The key of series whose curves learn from each other.
using GroupKey = std::tuple<std::string, std::vector<std::string>, size_t>;

struct Job {
  std::shared_ptr<internal::FittedSeries> fitted;
  std::vector<size_t> dimensions;                          // along which it has curves
  std::vector<Axis> axes;                                  // of these
  std::vector<Slice> slices;                               // with several dimensions
  std::vector<Curve> curves;                               // until they have their places
  std::vector<std::pair<std::vector<Curve>*, size_t>> at;  // the final place of each of them
  std::optional<Error> error;
};

class Fitter {
 public:
  explicit Fitter(const FitOptions& options) : options_(options) {}

  void add(std::span<const Series* const> series) {
    jobs_.resize(series.size());
    core::in_parallel(series.size(), options_.threads, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++) plan(*series[i], jobs_[i]);
    });
    for (Job& job : jobs_) place(job);
  }

  std::vector<Result<Model>> finish() {
    std::map<std::vector<Curve>*, std::vector<CurveFit>> fits;
    for (auto& [key, curves] : groups_) {
      std::vector<Curve>* place = &curves;
      fits[place] = fit_curves(std::move(curves), options_.level, options_.models, options_.threads);
    }
    // Curves can be made in parallel, since each belongs to one job.
    core::in_parallel(jobs_.size(), options_.threads, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++) {
        Job& job = jobs_[i];
        if (job.error) continue;
        std::vector<CurveFit> own;
        for (const auto& [place, at] : job.at) own.push_back(std::move(fits.find(place)->second[at]));
        complete(&job, std::move(own));
      }
    });
    std::vector<Result<Model>> out;
    out.reserve(jobs_.size());
    for (Job& job : jobs_) {
      if (job.error) {
        out.emplace_back(std::move(*job.error));
      } else {
        out.emplace_back(Model(std::move(job.fitted)));
      }
    }
    return out;
  }

 private:
  void plan(const Series& series, Job& job) {
    const auto processes = processes_of(series, options_);
    if (!processes) {
      job.error = processes.error();
      return;
    }
    Prepared prepared = prepare(series);
    if (prepared.points.empty()) {
      job.error = refused(ErrorCode::kInput, "no usable value was measured",
                          "values have to be finite and not negative", series);
      return;
    }
    const std::vector<size_t> dims = varying(prepared.points, series.parameter_names.size(), processes.value());
    if (dims.empty() && !prepared.all_zero) {
      const Point& p = prepared.points.front();
      job.error = refused(ErrorCode::kInput,
                          "only one configuration was measured (" + series.parameter_names[processes.value()] + " = " +
                              core::to_text(p.at[processes.value()]) + ")",
                          "measure a second scale to see a trend and a third to check it; until then " +
                              core::to_text(p.value) + " holds there and nowhere else",
                          series);
      return;
    }
    job.fitted = std::make_shared<internal::FittedSeries>();
    internal::FittedSeries& f = *job.fitted;
    f.parameter_names = series.parameter_names;
    f.metric = series.metric;
    f.kernel = series.kernel;
    f.level = options_.level;
    f.data = std::move(prepared);
    f.dimension = dims.empty() ? processes.value() : dims.front();
    note_constant_parameters(f, dims, processes.value());
    if (f.data.all_zero) {
      f.data.notes.push_back("all values are 0, and so is the model");
      return;
    }
    const bool path = dims.size() > 1 && is_path(f.data.points, dims);
    if (path) f.data.notes.push_back(changed_together(f, dims));
    if (dims.size() > 1 && !path) f.size = varying_size(f, dims, processes.value());
    job.dimensions = path ? std::vector{dims.front()} : dims;
    for (const size_t d : job.dimensions) job.axes.push_back(d == processes.value() ? Axis::kProcesses : Axis::kSize);
    if (job.dimensions.size() == 1)
      plan_curve(job);
    else
      plan_slices(job);
  }

  void note_constant_parameters(internal::FittedSeries& f, const std::vector<size_t>& dims, size_t processes) const {
    const bool only_processes = dims.size() == 1 && dims.front() == processes;
    for (size_t d = 0; d < f.parameter_names.size(); d++) {
      if (std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
      const std::string& name = f.parameter_names[d];
      if (only_processes && name == options_.size) {
        f.size = internal::ProblemSize{d, f.data.points.front().at[d]};
        f.data.notes.push_back(name +
                               " was measured at one value: others are taken to cost what the same work per process " +
                               "costs at " + core::to_text(f.size->measured) + "; measure a second one to check that");
      } else {
        f.data.notes.push_back(name + " does not vary: its influence is not known");
      }
    }
  }

  // The declared size, where it varies and the processes do so at one value of it.
  std::optional<internal::ProblemSize> varying_size(const internal::FittedSeries& f, const std::vector<size_t>& dims,
                                                    size_t processes) const {
    const auto size = index_of(f.parameter_names, options_.size);
    if (!size || *size == processes || dims.front() != processes) return std::nullopt;
    if (std::find(dims.begin(), dims.end(), *size) == dims.end()) return std::nullopt;
    std::map<double, std::set<double>> scales;
    for (const Point& p : f.data.points) scales[p.at[*size]].insert(p.at[processes]);
    const auto several = [](const auto& one) { return one.second.size() >= kScalesForTrend; };
    if (std::ranges::none_of(scales, several)) return std::nullopt;
    return internal::ProblemSize{*size, scales.begin()->first};
  }

  // Over the work per process, where that is what the series is modelled over.
  static std::vector<Point> modelled_points(const internal::FittedSeries& f) {
    std::vector<Point> points = f.data.points;
    if (!f.size) return points;
    for (Point& p : points) p.at[f.dimension] = internal::position(f, p.at);
    return points;
  }

  static std::string changed_together(const internal::FittedSeries& f, const std::vector<size_t>& dims) {
    const auto others = std::span(dims).subspan(1);
    return core::join(others, ", ", [&f](size_t d) { return f.parameter_names[d]; }) + " changed with " +
           f.parameter_names[dims.front()] +
           " in every run: their influences cannot be told apart, and estimates hold where they go on together";
  }

  // Moves the job's curves to the groups that they learn from.
  void place(Job& job) {
    for (size_t i = 0; i < job.curves.size(); i++) {
      const size_t dimension = job.slices.empty() ? job.dimensions.front() : job.slices[i].dimension;
      std::vector<Curve>* group = &groups_[{job.fitted->metric, job.fitted->parameter_names, dimension}];
      job.at.emplace_back(group, group->size());
      group->push_back(std::move(job.curves[i]));
    }
  }

  void plan_curve(Job& job) {
    Prepared& data = job.fitted->data;
    std::vector<const Point*> points;
    for (const Point& p : data.points) points.push_back(&p);
    Curve& curve =
        job.curves.emplace_back(curve_along(std::move(points), job.dimensions.front(), job.axes.front(), &tables_));
    const auto scales = static_cast<double>(data.points.size());
    curve.noise = data.noise / std::sqrt(data.values / scales);
    curve.accuracy = options_.accuracy;
    if (scales < kScalesForCheck)
      data.notes.push_back("only " + core::to_text(scales) + " scales: the trend could not be checked; measure " +
                           std::to_string(kScalesForCheck) + " or more");
  }

  void plan_slices(Job& job) {
    const std::vector<Point> points = modelled_points(*job.fitted);
    for (size_t i = 0; i < job.dimensions.size(); i++) {
      const auto slices = slices_along(points, job.dimensions[i], job.axes[i], &tables_, &job.curves);
      job.slices.insert(job.slices.end(), slices.begin(), slices.end());
    }
    if (job.slices.empty())
      job.fitted->data.notes.push_back("no two configurations differ in one parameter only: no trend could be checked");
  }

  // Notes where the paper's selection was asked for and has no value.
  void note_missing_forms(internal::FittedSeries& f) const {
    if (options_.models != ModelSet::kDing2018) return;
    const std::vector<DingModel>& models = f.curve->ding_models();
    if (models.empty()) {
      f.data.notes.push_back("too few scales to choose among the forms of Ding et al.: the usual ensemble predicts");
      return;
    }
    constexpr double kFurthest = 1024;
    const double largest = f.curve->curve().scales->x.back();
    for (double factor = 1; factor <= kFurthest; factor *= 2) {
      if (ding_value(std::span(&models.front(), 1), factor * largest)) continue;
      f.data.notes.push_back(std::string("the ") + models.front().name() + " is not positive at " +
                             core::to_text(factor) + " times the largest scale: there the next best form predicts, " +
                             "or the usual ensemble where none is positive");
      return;
    }
  }

  void complete(Job* job, std::vector<CurveFit> own) {
    internal::FittedSeries& f = *job->fitted;
    if (job->dimensions.size() > 1) {
      f.several.emplace(modelled_points(f), job->dimensions, job->axes, std::move(job->slices), std::move(own),
                        options_.level, options_.models);
      return;
    }
    if (own.empty()) return;
    f.curve.emplace(std::move(own.front()));
    const std::vector<double>& log_x = f.curve->curve().scales->log_x;
    std::vector<double> log_y;
    for (const double v : f.curve->curve().values) log_y.push_back(std::log(v));
    note_missing_forms(f);
    if (const auto half_factor = f.curve->half_factor_of_kinds())
      f.data.notes.push_back("values of every second scale differ by a factor of " +
                             core::to_text(std::round(100 * std::exp(2 * std::abs(*half_factor))) / 100) +
                             ", as those of square and 2:1 process grids do: each kind is continued by itself");
    f.superlinear = falls_superlinearly(log_x, log_y, f.data.noise);
  }

  FitOptions options_;
  std::vector<Job> jobs_;
  std::map<GroupKey, std::vector<Curve>> groups_;
  ScaleTables tables_;
};

}  // namespace

std::optional<size_t> named_processes(const std::vector<std::string>& names) {
  for (const char* usual : {"np", "p", "P", "processes", "ranks", "nodes", "cores", "gpus"})
    if (const auto i = index_of(names, usual)) return i;
  return std::nullopt;
}

Result<Model> fit(const Series& series, const FitOptions& options) {
  return std::move(fit_all(std::span(&series, 1), options).front());
}

std::vector<Result<Model>> fit_all(std::span<const Series> series, const FitOptions& options) {
  std::vector<const Series*> pointers;
  pointers.reserve(series.size());
  for (const Series& s : series) pointers.push_back(&s);
  return fit_all(pointers, options);
}

std::vector<Result<Model>> fit_all(std::span<const Series* const> series, const FitOptions& options) {
  Fitter fitter(options);
  fitter.add(series);
  return fitter.finish();
}

}  // namespace scalediag::fit
