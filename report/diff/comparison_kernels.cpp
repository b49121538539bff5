#include "report/diff/comparison_kernels.h"

#include <numeric>

#include "core/profile/metric_names.h"
#include "fit/profile/run_series.h"

namespace scalediag::report {
namespace {

constexpr const char* kExecutable = "[executable]";
constexpr const char* kMpi = "[mpi]";

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

double time_of(const core::Kernel& kernel) {
  const auto time = kernel.metrics.find(metric::kTime);
  return time == kernel.metrics.end() ? 0 : time->second.mean;
}

void count(CountPair& pair, bool of_a, double value) {
  (of_a ? pair.a : pair.b) += value;
  ++(of_a ? pair.runs_a : pair.runs_b);
}

class TableBuilder {
 public:
  TableBuilder(size_t runs_a, size_t runs_b, const KernelKeys& keys) : runs_a_(runs_a), runs_b_(runs_b), keys_(keys) {}

  void add(const core::Run& run, size_t index, bool of_a) {
    for (const core::Kernel& k : run.kernels) {
      KernelRow& r = row(keys_.of(k, of_a), k.name, core::name_of(k.kind));
      times(r, of_a)[index] += time_of(k);
      r.samples += static_cast<double>(k.samples);
      if (const auto time = k.metrics.find(metric::kTime); time != k.metrics.end()) {
        fit::RepeatsOverRanks& ranks = of_a ? r.ranks_a : r.ranks_b;
        ranks.np = run.np;
        ranks.repeats.push_back({&time->second, static_cast<double>(k.samples)});
      }
      const auto instructions = k.metrics.find(metric::kInstructions);
      const bool of_its_ranks = k.metrics.count("counted_time_s") == 0;  // else extended by time, which varies
      const bool is_exact = of_its_ranks && !fit::is_estimate(run, k, metric::kInstructions);
      if (instructions != k.metrics.end() && is_exact) count(r.instructions, of_a, instructions->second.mean);
    }
    for (const core::MpiOperation& o : run.operations) {
      KernelRow& r = row(KernelKeys::of(o), o.operation, "mpi");
      times(r, of_a)[index] += o.time_s.mean;
      r.samples += static_cast<double>(o.samples);
      count(r.calls, of_a, o.calls.sum);
      count(r.bytes, of_a, o.bytes.sum);
    }
  }

  KernelTable finish() { return std::move(table_); }

 private:
  static std::vector<double>& times(KernelRow& row, bool of_a) { return of_a ? row.a : row.b; }

  KernelRow& row(const KernelKeys::Key& key, const std::string& name, const char* kind) {
    KernelRow& r = table_[key];
    if (r.name.empty()) {
      r.name = name;
      r.kind = kind;
      r.a.resize(runs_a_);
      r.b.resize(runs_b_);
    }
    return r;
  }

  const size_t runs_a_, runs_b_;
  const KernelKeys& keys_;
  KernelTable table_;
};

}  // namespace

KernelKeys::KernelKeys(const core::Profile& a, const core::Profile& b)
    : application_a_(a.application), application_b_(b.application) {
  learn_files(a);
  learn_files(b);
  learn_kernels(a, true);
  learn_kernels(b, false);
}

std::string KernelKeys::module_of(const core::Kernel& kernel, const std::string& application) const {
  return kernel.module == application ? kExecutable : kernel.module;
}

void KernelKeys::learn_files(const core::Profile& profile) {
  std::map<std::pair<std::string, std::string>, std::string> file_of;
  for (const core::Run& run : profile.runs) {
    for (const core::Kernel& k : run.kernels) {
      const std::pair key(k.name, module_of(k, profile.application));
      const auto [known, is_new] = file_of.try_emplace(key, file_name(k.file));
      if (!is_new && known->second != file_name(k.file)) in_several_files_.insert(key);
    }
  }
}

// To be called once all files are known, since they decide the keys.
void KernelKeys::learn_kernels(const core::Profile& profile, bool of_a) {
  std::set<Key>& seen = of_a ? in_a_ : in_b_;
  for (const core::Run& run : profile.runs) {
    if (!run.complete) continue;
    for (const core::Kernel& k : run.kernels) seen.insert(of(k, of_a));
    for (const core::MpiOperation& o : run.operations) seen.insert(of(o));
  }
}

std::string KernelKeys::shown_module(const Key& key) const {
  const std::string& module = std::get<1>(key);
  if (module == kMpi) return "";
  if (module != kExecutable) return module;
  return in_b(key) ? application_b_ : application_a_;
}

KernelKeys::Key KernelKeys::of(const core::MpiOperation& operation) { return {operation.operation, kMpi, ""}; }

KernelKeys::Key KernelKeys::of(const core::Kernel& kernel, bool of_a) const {
  const std::string module = module_of(kernel, of_a ? application_a_ : application_b_);
  const bool several = in_several_files_.count({kernel.name, module}) != 0;
  return {kernel.name, module, several ? file_name(kernel.file) : ""};
}

std::optional<double> CountPair::relative() const {
  if (runs_a == 0 || runs_b == 0 || !(a > 0)) return std::nullopt;
  return (b / runs_b) / (a / runs_a) - 1;
}

double KernelRow::seconds_per_sample() const {
  const double time = std::accumulate(a.begin(), a.end(), std::accumulate(b.begin(), b.end(), 0.0));
  return samples > 0 ? time / samples : 0;
}

KernelTable kernel_table(const std::vector<const core::Run*>& a, const std::vector<const core::Run*>& b,
                         const KernelKeys& keys) {
  TableBuilder builder(a.size(), b.size(), keys);
  for (size_t i = 0; i < a.size(); ++i) builder.add(*a[i], i, true);
  for (size_t i = 0; i < b.size(); ++i) builder.add(*b[i], i, false);
  return builder.finish();
}

}  // namespace scalediag::report
