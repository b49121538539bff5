#include "fit/data/mpip/mpip_report.h"

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

constexpr const char* kComputation = "[computation]";
constexpr const char* kOtherMpi = "[MPI, other]";
constexpr double kSecondsPerMillisecond = 1e-3;

enum class Section { kNone, kTime, kSites, kSiteTime, kSiteBytes };

struct SectionStart {
  std::string_view begins;
  Section section;
};
constexpr SectionStart kSections[] = {{"@--- MPI Time (seconds)", Section::kTime},
                                      {"@--- Callsites:", Section::kSites},
                                      {"@--- Callsite Time statistics", Section::kSiteTime},
                                      {"@--- Callsite Message Sent statistics", Section::kSiteBytes}};

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
      case Section::kTime:
        return read_task(words);
      case Section::kSites:
        return read_site(words);
      case Section::kSiteTime:
        return read_site_time(words);
      case Section::kSiteBytes:
        return read_site_bytes(words);
      case Section::kNone:
        return;
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

  // ID, level, file or address, line, function, and on the innermost level the call. A file that is not known may have
  // no line.
  void read_site(const Words& words) {
    const auto id = words.size() < 3 ? std::nullopt : parse_number(words[0]);
    const auto level = id ? parse_number(words[1]) : std::nullopt;
    if (!id || !level) return fail("a site has an ID, a level, a file and a function");
    const bool innermost = *level == 0;
    const size_t behind = innermost ? 2 : 1;
    const std::string_view function = words.size() >= 3 + behind ? words[words.size() - behind] : "[unknown]";
    std::string& path = callers_[*id];
    path = path.empty() ? std::string(function) : std::string(function) + "->" + path;
  }

  std::string path_of(const Words& words) {
    const auto id = parse_number(words[1]);
    const std::string call = "MPI_" + std::string(words[0]);
    const auto callers = id ? callers_.find(*id) : callers_.end();
    if (callers == callers_.end()) fail("site " + shown(words[1]) + " is not among the callsites");
    return callers == callers_.end() ? "" : callers->second + "->" + call;
  }

  // Name, Site, Rank, Count, Max, Mean, Min, App%, MPI%: sums of all ranks follow from the lines of each, since the one
  // for all of them (*) has fewer digits of the mean.
  void read_site_time(const Words& words) {
    if (words.size() < 7)
      return fail("a site's time has 9 values: Name, Site, Rank, Count, Max, Mean, Min, App%, MPI%");
    const auto count = number(words[3]), mean = number(words[5]);
    if (!count || !mean) return;
    const std::string path = path_of(words);
    const bool all = words[2] == "*";
    Sum& sum = sums_[path][std::string(words[1])];
    sum.is_by_rank = sum.is_by_rank || !all;
    if (all && sum.is_by_rank) return;
    sum.calls += *count;
    sum.seconds += *count * *mean * kSecondsPerMillisecond;
  }

  void read_site_bytes(const Words& words) {
    if (words.size() < 8) return fail("a site's messages have 8 values: Name, Site, Rank, Count, Max, Mean, Min, Sum");
    if (words[2] != "*") return;
    const auto bytes = number(words[7]);
    if (!bytes) return;
    bytes_[path_of(words)] += *bytes;
  }

  void finish() {
    run_.file = file_;
    run_.processes = tasks_;
    double of_sites_s = 0;
    run_.add(kComputation, kRunTime, remainder_of(application_s_, mpi_s_) / tasks_);
    for (const auto& [path, sites] : sums_) {
      for (const auto& [site, sum] : sites) {
        run_.add(path, kRunTime, sum.seconds / tasks_);
        run_.add(path, "calls", sum.calls / tasks_);
        of_sites_s += sum.seconds;
      }
    }
    for (const auto& [path, bytes] : bytes_) run_.add(path, "bytes", bytes / tasks_);
    run_.add(kOtherMpi, kRunTime, remainder_of(mpi_s_, of_sites_s) / tasks_);
    run_.add(kWholeRun, kTotalTime, application_s_ / tasks_);
  }

  struct Sum {
    double calls = 0, seconds = 0;
    bool is_by_rank = false;
  };

  LineReader lines_;
  const std::string& file_;
  MeasuredRun run_;
  Section section_ = Section::kNone;
  bool is_heading_next_ = false;
  double tasks_ = 0, application_s_ = 0, mpi_s_ = 0;
  std::map<double, std::string> callers_;                   // by site
  std::map<std::string, std::map<std::string, Sum>> sums_;  // by path and site
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
