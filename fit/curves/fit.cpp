#include "fit/curves/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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

core::Error refused(core::ErrorCode code, std::string message, std::string hint, const Series& s) {
  return {code, std::move(message), std::move(hint), s.kernel.empty() ? s.metric : s.kernel + ", " + s.metric};
}

std::optional<size_t> index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<size_t>(it - names.begin());
}

// The processes' parameter as FitOptions says, or the reason why there is none.
core::Result<size_t> processes_of(const Series& s, const FitOptions& options) {
  if (s.parameter_names.empty())
    return refused(core::ErrorCode::kInput, "the series has no parameter", "name the number of processes", s);
  for (const std::string& asked : {options.processes, options.size})
    if (!asked.empty() && !index_of(s.parameter_names, asked))
      return refused(core::ErrorCode::kUsage, "there is no parameter '" + asked + "'",
                     "the parameters are " + core::join(s.parameter_names), s);
  if (!options.processes.empty()) return *index_of(s.parameter_names, options.processes);
  return named_processes(s.parameter_names).value_or(0);
}

// Parameters with more than one value, the processes first.
std::vector<size_t> varying(const std::vector<Point>& points, size_t parameters, size_t processes) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < parameters; d++) {
    const double first = points.front().at[d];
    if (std::any_of(points.begin(), points.end(), [&](const Point& p) { return p.at[d] != first; })) dims.push_back(d);
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

using Tables = std::map<std::pair<Axis, std::vector<double>>, std::shared_ptr<const ScaleTable>>;

// A curve as planned, before the other series' scales are known.
struct PlannedCurve {
  size_t dimension = 0;
  Axis axis = Axis::kProcesses;
  std::vector<double> x;  // of a curve without a table of its own
  Curve curve;
};

PlannedCurve curve_along(std::vector<Point>& points, size_t dimension, Axis axis) {
  std::sort(points.begin(), points.end(),
            [dimension](const Point& a, const Point& b) { return a.at[dimension] < b.at[dimension]; });
  PlannedCurve planned{dimension, axis, {}, {}};
  planned.x.reserve(points.size());
  planned.curve.values.reserve(points.size());
  planned.curve.weights.reserve(points.size());
  for (const Point& p : points) {
    planned.x.push_back(p.at[dimension]);
    planned.curve.values.push_back(p.value);
    planned.curve.weights.push_back(p.weight);
  }
  return planned;
}

// The key of series whose curves learn from each other.
using GroupKey = std::tuple<std::string, std::vector<std::string>, size_t>;

struct Job {
  std::shared_ptr<internal::FittedSeries> fitted;
  std::vector<size_t> dimensions;
  std::vector<Slice> slices;                               // their `curve` counts over all dimensions of this job
  std::vector<PlannedCurve> curves;                        // until they have their places
  std::vector<std::pair<std::vector<Curve>*, size_t>> at;  // the final place of each of them
  std::optional<core::Error> error;
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

  std::vector<core::Result<Model>> finish() {
    std::map<std::vector<Curve>*, std::vector<CurveFit>> fits;
    for (auto& [key, curves] : groups_) {
      std::vector<Curve>* place = &curves;
      fits[place] = fit_curves(std::move(curves), options_.level, options_.threads);
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
    std::vector<core::Result<Model>> out;
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
  void plan(const Series& series, Job& job) const {
    const auto processes = processes_of(series, options_);
    if (!processes) {
      job.error = processes.error();
      return;
    }
    Prepared prepared = prepare(series);
    if (prepared.points.empty()) {
      job.error = refused(core::ErrorCode::kInput, "no usable value was measured",
                          "values have to be finite and not negative", series);
      return;
    }
    const std::vector<size_t> dims = varying(prepared.points, series.parameter_names.size(), processes.value());
    if (dims.empty() && !prepared.all_zero) {
      const Point& p = prepared.points.front();
      job.error = refused(core::ErrorCode::kInput,
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
    f.points = std::move(prepared.points);
    f.values = prepared.values;
    f.noise = prepared.noise;
    f.notes = std::move(prepared.notes);
    f.dimension = dims.empty() ? processes.value() : dims.front();
    const bool only_processes = dims.size() == 1 && dims.front() == processes.value();
    for (size_t d = 0; d < series.parameter_names.size(); d++) {
      if (std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
      const std::string& name = series.parameter_names[d];
      if (only_processes && name == options_.size) {
        f.size = internal::ProblemSize{d, f.points.front().at[d]};
        f.notes.push_back(name +
                          " was measured at one value: others are taken to cost what the same work per process " +
                          "costs at " + core::to_text(f.size->measured) + "; measure a second one to check that");
      } else {
        f.notes.push_back(name + " does not vary: its influence is not known");
      }
    }
    if (prepared.all_zero) {
      f.notes.push_back("all values are 0, and so is the model");
      return;
    }
    if (dims.size() > 1 && !is_path(f.points, dims)) f.size = varying_size(f, dims, processes.value());
    const auto axis_of = [&](size_t d) { return d == processes.value() ? Axis::kProcesses : Axis::kSize; };
    if (dims.size() > 1 && is_path(f.points, dims)) {
      f.notes.push_back(together(f, dims));
      plan_curve(job, dims.front(), axis_of(dims.front()));
    } else if (dims.size() == 1) {
      plan_curve(job, dims.front(), axis_of(dims.front()));
    } else {
      plan_slices(job, dims, axis_of);
    }
  }

  // The declared size, where it varies and the processes do so at one value of it.
  std::optional<internal::ProblemSize> varying_size(const internal::FittedSeries& f, const std::vector<size_t>& dims,
                                                    size_t processes) const {
    const auto size = index_of(f.parameter_names, options_.size);
    if (!size || *size == processes || dims.front() != processes) return std::nullopt;
    if (std::find(dims.begin(), dims.end(), *size) == dims.end()) return std::nullopt;
    std::map<double, std::set<double>> scales;
    for (const Point& p : f.points) scales[p.at[*size]].insert(p.at[processes]);
    const auto several = [](const auto& one) { return one.second.size() >= static_cast<size_t>(kScalesForTrend); };
    if (std::none_of(scales.begin(), scales.end(), several)) return std::nullopt;
    return internal::ProblemSize{*size, scales.begin()->first};
  }

  // Over the work per process, where that is what the series is modelled over.
  static std::vector<Point> modelled_points(const internal::FittedSeries& f) {
    std::vector<Point> points = f.points;
    if (!f.size) return points;
    for (Point& p : points) p.at[f.dimension] = internal::position(f, p.at);
    return points;
  }

  static std::string together(const internal::FittedSeries& f, const std::vector<size_t>& dims) {
    std::string others;
    for (size_t i = 1; i < dims.size(); i++) others += (i > 1 ? ", " : "") + f.parameter_names[dims[i]];
    return others + " changed with " + f.parameter_names[dims.front()] +
           " in every run: their influences cannot be told apart, and estimates hold where they go on together";
  }

  // Moves the job's curves to the group that they learn from, and gives all of a group the same table of scales.
  void place(Job& job) {
    for (PlannedCurve& planned : job.curves) {
      const internal::FittedSeries& f = *job.fitted;
      std::vector<Curve>* group = &groups_[{f.metric, f.parameter_names, planned.dimension}];
      if (!planned.curve.scales) {
        auto& table = tables_[{planned.axis, planned.x}];
        if (!table) table = std::make_shared<ScaleTable>(planned.x, planned.axis);
        planned.curve.scales = table;
      }
      job.at.emplace_back(group, group->size());
      group->push_back(std::move(planned.curve));
    }
    job.curves.clear();
  }

  static void plan_curve(Job& job, size_t dimension, Axis axis) {
    internal::FittedSeries& f = *job.fitted;
    job.curves.push_back(curve_along(f.points, dimension, axis));
    const double repeats = static_cast<double>(f.values) / static_cast<double>(f.points.size());
    job.curves.back().curve.noise = f.noise / std::sqrt(repeats);
    if (f.points.size() < static_cast<size_t>(kScalesForCheck))
      f.notes.push_back("only " + std::to_string(f.points.size()) +
                        " scales: the trend could not be checked; measure " + std::to_string(kScalesForCheck) +
                        " or more");
  }

  static void plan_slices(Job& job, const std::vector<size_t>& dims, const std::function<Axis(size_t)>& axis_of) {
    internal::FittedSeries& f = *job.fitted;
    job.dimensions = dims;
    const std::vector<Point> points = modelled_points(f);
    for (const size_t d : dims) f.axes.push_back(axis_of(d));
    for (const size_t d : dims) {
      std::vector<Curve> curves;
      std::vector<Slice> slices = slices_along(points, d, axis_of(d), &curves);
      const size_t before = job.curves.size();
      for (Slice& s : slices) s.curve += before;
      job.slices.insert(job.slices.end(), slices.begin(), slices.end());
      for (Curve& c : curves) job.curves.push_back({d, axis_of(d), {}, std::move(c)});
    }
    if (job.slices.empty())
      f.notes.push_back("no two configurations differ in one parameter only: no trend could be checked");
  }

  void complete(Job* job, std::vector<CurveFit> own) {
    internal::FittedSeries& f = *job->fitted;
    if (!job->dimensions.empty()) {
      f.several.emplace(modelled_points(f), job->dimensions, f.axes, std::move(job->slices), std::move(own),
                        options_.level);
      return;
    }
    if (own.empty()) return;
    f.curve.emplace(std::move(own.front()));
    const std::vector<double>& log_x = f.curve->curve().scales->log_x;
    std::vector<double> log_y;
    log_y.reserve(log_x.size());
    for (const double v : f.curve->curve().values) log_y.push_back(std::log(v));
    if (f.curve->half_factor_of_kinds())
      f.notes.push_back(
          "values of every second scale differ by a factor of " +
          core::to_text(std::round(100 * std::exp(2 * std::abs(*f.curve->half_factor_of_kinds()))) / 100) +
          ", as those of square and 2:1 process grids do: each kind is continued by itself");
    f.superlinear = falls_superlinearly(log_x, log_y, f.noise);
  }

  FitOptions options_;
  std::vector<Job> jobs_;
  std::map<GroupKey, std::vector<Curve>> groups_;
  Tables tables_;
};

}  // namespace

std::optional<size_t> named_processes(const std::vector<std::string>& names) {
  for (const char* usual : {"np", "p", "P", "processes", "ranks", "nodes", "cores", "gpus"})
    if (const auto i = index_of(names, usual)) return i;
  return std::nullopt;
}

core::Result<Model> fit(const Series& series, const FitOptions& options) {
  return std::move(fit_all(std::span(&series, 1), options).front());
}

std::vector<core::Result<Model>> fit_all(std::span<const Series> series, const FitOptions& options) {
  std::vector<const Series*> pointers;
  pointers.reserve(series.size());
  for (const Series& s : series) pointers.push_back(&s);
  return fit_all(pointers, options);
}

std::vector<core::Result<Model>> fit_all(std::span<const Series* const> series, const FitOptions& options) {
  Fitter fitter(options);
  fitter.add(series);
  return fitter.finish();
}

}  // namespace scalediag::fit
