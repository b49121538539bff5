// From series to models: what to fit along, and which series learn from each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/numbers.h"
#include "fit/fitted_series.h"
#include "fit/model.h"

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

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

// The processes' parameter as FitOptions says, or the reason why there is none.
core::Result<size_t> processes_of(const Series& s, const FitOptions& options) {
  if (s.parameter_names.empty())
    return refused(core::ErrorCode::kInput, "the series has no parameter", "name the number of processes", s);
  for (const std::string& asked : {options.processes, options.size})
    if (!asked.empty() && !index_of(s.parameter_names, asked))
      return refused(core::ErrorCode::kUsage, "there is no parameter '" + asked + "'",
                     "the parameters are " + listed(s.parameter_names), s);
  if (!options.processes.empty()) return *index_of(s.parameter_names, options.processes);
  for (const char* usual : {"np", "p", "P", "processes", "ranks"})
    if (const auto i = index_of(s.parameter_names, usual)) return *i;
  return size_t{0};
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

// Whether no two points share a value of `dimension`, so that along it the series is one curve.
bool is_path(const std::vector<Point>& points, size_t dimension) {
  std::set<double> seen;
  return std::all_of(points.begin(), points.end(), [&](const Point& p) { return seen.insert(p.at[dimension]).second; });
}

using Tables = std::map<std::vector<double>, std::shared_ptr<const ScaleTable>>;

Curve curve_along(std::vector<Point>& points, size_t dimension, Tables* tables) {
  std::sort(points.begin(), points.end(),
            [dimension](const Point& a, const Point& b) { return a.at[dimension] < b.at[dimension]; });
  Curve curve;
  std::vector<double> x;
  x.reserve(points.size());
  curve.values.reserve(points.size());
  curve.weights.reserve(points.size());
  for (const Point& p : points) {
    x.push_back(p.at[dimension]);
    curve.values.push_back(p.value);
    curve.weights.push_back(p.weight);
  }
  auto& table = (*tables)[x];
  if (!table) table = std::make_shared<ScaleTable>(x);
  curve.scales = table;
  return curve;
}

// Series whose curves learn from each other.
using GroupKey = std::tuple<std::string, std::vector<std::string>, size_t>;

struct Job {
  std::shared_ptr<internal::FittedSeries> fitted;
  std::vector<size_t> dimensions;
  std::vector<Slice> slices;                               // their `curve` counts over all dimensions of this job
  std::vector<std::pair<std::vector<Curve>*, size_t>> at;  // where each curve of this job lies
  std::optional<core::Error> error;
};

class Fitter {
 public:
  Fitter(const FitOptions& options) : options_(options) {}

  void add(const Series& series) {
    Job& job = jobs_.emplace_back();
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
    for (size_t d = 0; d < series.parameter_names.size(); d++)
      if (std::find(dims.begin(), dims.end(), d) == dims.end())
        f.notes.push_back(series.parameter_names[d] + " does not vary: its influence is not known");
    if (prepared.all_zero) {
      f.notes.push_back("all values are 0, and so is the model");
      return;
    }
    if (dims.size() > 1 && is_path(f.points, dims.front())) {
      f.notes.push_back(together(f, dims));
      plan_curve(&job, dims.front());
    } else if (dims.size() == 1) {
      plan_curve(&job, dims.front());
    } else {
      plan_slices(&job, dims);
    }
  }

  std::vector<core::Result<Model>> finish() {
    std::map<std::vector<Curve>*, std::vector<CurveFit>> fits;
    for (auto& [key, curves] : groups_) {
      std::vector<Curve>* place = &curves;
      fits[place] = fit_curves(std::move(curves), options_.level);
    }
    std::vector<core::Result<Model>> out;
    out.reserve(jobs_.size());
    for (Job& job : jobs_) {
      if (job.error) {
        out.emplace_back(std::move(*job.error));
        continue;
      }
      std::vector<CurveFit> own;
      for (const auto& [place, i] : job.at) own.push_back(std::move(fits[place][i]));
      complete(&job, std::move(own));
      out.emplace_back(Model(std::move(job.fitted)));
    }
    return out;
  }

 private:
  static std::string together(const internal::FittedSeries& f, const std::vector<size_t>& dims) {
    std::string others;
    for (size_t i = 1; i < dims.size(); i++) others += (i > 1 ? ", " : "") + f.parameter_names[dims[i]];
    return others + " changed with " + f.parameter_names[dims.front()] +
           " in every run: their influences cannot be told apart, and estimates hold where they go on together";
  }

  std::vector<Curve>* group(const internal::FittedSeries& f, size_t dimension) {
    return &groups_[{f.metric, f.parameter_names, dimension}];
  }

  void place(Job* job, std::vector<Curve>* where, Curve curve) {
    job->at.emplace_back(where, where->size());
    where->push_back(std::move(curve));
  }

  void plan_curve(Job* job, size_t dimension) {
    internal::FittedSeries& f = *job->fitted;
    place(job, group(f, dimension), curve_along(f.points, dimension, &tables_));
    if (f.points.size() < static_cast<size_t>(kScalesForCheck))
      f.notes.push_back("only " + std::to_string(f.points.size()) +
                        " scales: the trend could not be checked; measure " + std::to_string(kScalesForCheck) +
                        " or more");
  }

  void plan_slices(Job* job, const std::vector<size_t>& dims) {
    internal::FittedSeries& f = *job->fitted;
    job->dimensions = dims;
    for (const size_t d : dims) {
      std::vector<Curve> curves;
      std::vector<Slice> slices = slices_along(f.points, d, &curves);
      const size_t before = job->at.size();
      for (Slice& s : slices) s.curve += before;
      job->slices.insert(job->slices.end(), slices.begin(), slices.end());
      for (Curve& c : curves) place(job, group(f, d), std::move(c));
    }
    if (job->slices.empty())
      f.notes.push_back("no two configurations differ in one parameter only: no trend could be checked");
  }

  void complete(Job* job, std::vector<CurveFit> own) {
    internal::FittedSeries& f = *job->fitted;
    if (!job->dimensions.empty()) {
      f.several.emplace(f.points, job->dimensions, std::move(job->slices), std::move(own), options_.level);
      return;
    }
    if (own.empty()) return;
    f.curve.emplace(std::move(own.front()));
    const std::vector<double>& log_x = f.curve->curve().scales->log_x;
    std::vector<double> log_y;
    log_y.reserve(log_x.size());
    for (const double v : f.curve->curve().values) log_y.push_back(std::log(v));
    f.change = find_break(log_x, log_y);
    f.superlinear = falls_superlinearly(log_x, log_y);
  }

  FitOptions options_;
  std::vector<Job> jobs_;
  std::map<GroupKey, std::vector<Curve>> groups_;
  Tables tables_;
};

}  // namespace

core::Result<Model> fit(const Series& series, const FitOptions& options) {
  return std::move(fit_all(std::span(&series, 1), options).front());
}

std::vector<core::Result<Model>> fit_all(std::span<const Series> series, const FitOptions& options) {
  Fitter fitter(options);
  for (const Series& s : series) fitter.add(s);
  return fitter.finish();
}

}  // namespace scalediag::fit
