#include "fit/data/mpip/mpip_report.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fit/data/file_head.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using Words = std::vector<std::string_view>;
using Times = std::map<std::string, double>;

constexpr const char* kComputation = "[computation]";
constexpr const char* kOtherMpi = "[MPI, other]";
constexpr double kSecondsPerMillisecond = 1e-3;

enum class Section { kNone, kTime, kTaskSummary, kSites, kTopTime, kSiteTime, kSiteBytes, kConciseTime, kConciseBytes };

struct SectionStart {
  std::string_view begins;
  Section section;
};
// The last one that fits is taken.
constexpr SectionStart kSections[] = {{"@--- MPI Time (seconds)", Section::kTime},
                                      {"@--- Task Time Statistics (seconds)", Section::kTaskSummary},
                                      {"@--- Callsites:", Section::kSites},
                                      {"@--- Aggregate Time", Section::kTopTime},
                                      {"@--- Callsite Time statistics", Section::kSiteTime},
                                      {"@--- Callsite Message Sent statistics", Section::kSiteBytes},
                                      {"@--- Callsite Time statistics (all callsites", Section::kConciseTime},
                                      {"@--- Callsite Message Sent statistics (all callsites", Section::kConciseBytes}};

class ReportReader {
 public:
  ReportReader(const std::string& text, const std::string& file) : lines_(text), file_(file) {}

  core::Result<MeasuredRun> read() {
    for (std::optional<std::string_view> line; !error_ && (line = lines_.next());) read_line(*line);
    if (error_) return *error_;
    if (tasks_ == 0) {
      return Error{ErrorCode::kInput, file_ + " has no tasks in its section of MPI time", "copy the file again", file_};
    }
    finish();
    return std::move(run_);
  }

 private:
  void fail(const std::string& what) {
    if (error_) return;
    error_ = Error{ErrorCode::kInput, file_ + ":" + std::to_string(lines_.number()) + ": " + what,
                   "the format is that of mpiP's User Guide, \"mpiP Output\"", file_};
  }

  void read_line(std::string_view line) {
    if (line.starts_with("@")) {
      if (!line.starts_with("@---")) return;
      section_ = Section::kNone;
      for (const SectionStart& start : kSections) {
        if (line.starts_with(start.begins)) section_ = start.section;
      }
      is_heading_next_ = section_ != Section::kNone;
      return;
    }
    if (section_ == Section::kNone || line.starts_with("---")) return;
    const Words words = words_of(line);
    if (words.empty()) return;
    // The names of the columns.
    if (std::exchange(is_heading_next_, false)) return;
    switch (section_) {
      case Section::kTime: return read_task(words);
      case Section::kTaskSummary: return read_task_summary(words);
      case Section::kSites: return read_site(words);
      case Section::kTopTime: return read_top_time(words);
      case Section::kSiteTime: return read_site_time(words);
      case Section::kSiteBytes: return read_site_bytes(words);
      case Section::kConciseTime:
      case Section::kConciseBytes: return read_concise(words);
      case Section::kNone: return;
    }
  }

  std::optional<double> number(std::string_view word) {
    const auto value = parse_number(word);
    if (!value) fail("'" + shown(word) + "' is not a number");
    return value;
  }

  void read_task(const Words& words) {
    if (words.size() != 4) return fail("a task has 4 values: Task, AppTime, MPITime, MPI%");
    if (words[0] == "*") return;
    const auto application = number(words[1]), mpi = number(words[2]);
    if (!application || !mpi) return;
    ++tasks_;
    application_s_ += *application;
    mpi_s_ += *mpi;
  }

  // The concise report (MPIP="-c") tells the mean and the sum over all tasks, and not how many there are.
  void read_task_summary(const Words& words) {
    if (words[0] != "Mean" && words[0] != "Aggregate") return;
    if (words.size() < 3) return fail("the times of tasks have a Mean and an Aggregate of AppTime and MPITime");
    const auto application = number(words[1]), mpi = number(words[2]);
    if (!application || !mpi) return;
    if (words[0] == "Mean") {
      mean_application_s_ = *application;
      return;
    }
    if (!(mean_application_s_ > 0) || !(*application > 0)) return fail("the mean AppTime is not above zero");
    tasks_ = std::round(*application / mean_application_s_);
    application_s_ = *application;
    mpi_s_ = *mpi;
  }

  // ID, level, file or address, line, function, and on the innermost level the call. A file that is not known may have
  // no line. Names of C++ functions have spaces in them.
  void read_site(const Words& words) {
    const auto id = words.size() < 3 ? std::nullopt : parse_number(words[0]);
    const auto level = id ? parse_number(words[1]) : std::nullopt;
    if (!id || !level) return fail("a site has an ID, a level, a file and a function");
    const bool innermost = *level == 0;
    const size_t first = words.size() > 3 && parse_number(words[3]) ? 4 : 3;
    std::string function;
    for (size_t i = first; i + (innermost ? 1 : 0) < words.size(); ++i) {
      function += (function.empty() ? "" : " ") + std::string(words[i]);
    }
    if (function.empty()) function = "[unknown]";
    std::string& path = callers_[*id];
    path = path.empty() ? function : function + "->" + path;
  }

  // Call, Site, Time, App%, MPI%, ...: the twenty sites with most time of all ranks, which are all that a report
  // without details of sites (MPIP="-d" or "-k 0") has. It does not list their callers.
  void read_top_time(const Words& words) {
    if (words.size() < 5) return fail("a call's time has at least 5 values: Call, Site, Time, App%, MPI%");
    if (const auto time = number(words[2])) {
      top_s_["MPI_" + std::string(words[0])] += *time * kSecondsPerMillisecond;
    }
  }

  std::string path_of(const Words& words) {
    const auto id = parse_number(words[1]);
    const std::string call = "MPI_" + std::string(words[0]);
    const auto callers = id ? callers_.find(*id) : callers_.end();
    if (callers == callers_.end()) fail("site " + shown(words[1]) + " is not among the callsites");
    return callers == callers_.end() ? "" : callers->second + "->" + call;
  }

  // Name, Site, Rank, Count, Max, Mean, Min, App%, MPI%: sums of all ranks follow from the lines of each, since the one
  // for all of them (*), behind these, has fewer digits of the mean. Ranks below the threshold of MPIP="-t" have no
  // line, and then the one for all is taken.
  void read_site_time(const Words& words) {
    if (words.size() < 7)
      return fail("a site's time has 9 values: Name, Site, Rank, Count, Max, Mean, Min, App%, MPI%");
    const auto count = number(words[3]), mean = number(words[5]);
    if (!count || !mean) return;
    const std::string path = path_of(words);
    Sum& sum = sums_[path][std::string(words[1])];
    const double seconds = *count * *mean * kSecondsPerMillisecond;
    if (words[2] != "*") {
      sum = {sum.calls + *count, sum.seconds + seconds};
    } else if (sum.calls != *count) {
      sum = {*count, seconds};
    }
  }

  void read_site_bytes(const Words& words) {
    if (words.size() < 8) return fail("a site's messages have 8 values: Name, Site, Rank, Count, Max, Mean, Min, Sum");
    if (words[2] != "*") return;
    const auto bytes = number(words[7]);
    if (!bytes) return;
    bytes_[path_of(words)] += *bytes;
  }

  // Name, Site, Tasks, Max, Mean, Min, MaxRnk, MinRnk: the time or bytes of a rank. There are no numbers of calls.
  void read_concise(const Words& words) {
    if (words.size() < 8) return fail("a site has 8 values: Name, Site, Tasks, Max, Mean, Min, MaxRnk, MinRnk");
    const auto tasks = number(words[2]), mean = number(words[4]);
    if (!tasks || !mean) return;
    const std::string path = path_of(words);
    if (section_ == Section::kConciseBytes) {
      bytes_[path] += *tasks * *mean;
    } else {
      sums_[path][std::string(words[1])].seconds += *tasks * *mean * kSecondsPerMillisecond;
    }
  }

  void finish() {
    run_.file = file_;
    run_.processes = tasks_;
    double of_sites_s = 0;
    run_.add(kComputation, kRunTime, remainder_of(application_s_, mpi_s_) / tasks_);
    for (const auto& [path, sites] : sums_) {
      for (const auto& [site, sum] : sites) {
        run_.add(path, kRunTime, sum.seconds / tasks_);
        if (sum.calls > 0) run_.add(path, "calls", sum.calls / tasks_);
        of_sites_s += sum.seconds;
      }
    }
    for (const auto& [path, seconds] : sums_.empty() ? top_s_ : Times()) {
      run_.add(path, kRunTime, seconds / tasks_);
      of_sites_s += seconds;
    }
    for (const auto& [path, bytes] : bytes_) run_.add(path, "bytes", bytes / tasks_);
    run_.add(kOtherMpi, kRunTime, remainder_of(mpi_s_, of_sites_s) / tasks_);
    run_.add(kWholeRun, kTotalTime, application_s_ / tasks_);
  }

  struct Sum {
    double calls = 0, seconds = 0;
  };

  LineReader lines_;
  const std::string& file_;
  MeasuredRun run_;
  Section section_ = Section::kNone;
  bool is_heading_next_ = false;
  double tasks_ = 0, application_s_ = 0, mpi_s_ = 0, mean_application_s_ = 0;
  std::map<double, std::string> callers_;                   // by site
  std::map<std::string, std::map<std::string, Sum>> sums_;  // by path and site
  Times top_s_;                                             // by path
  std::map<std::string, double> bytes_;                     // by path
  std::optional<Error> error_;
};

}  // namespace

bool is_mpip(std::string_view text) {
  const std::string_view first = first_content_line(text);
  return first.starts_with("@ mpiP") || (first.starts_with("@") && text.find("@--- MPI Time (seconds)") != text.npos);
}

core::Result<MeasuredRun> read_mpip(const std::string& text, const std::string& file) {
  return ReportReader(text, file).read();
}

}  // namespace scalediag::fit
