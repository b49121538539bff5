#include "collector/merge/run_scan.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "collector/merge/core_demand.h"
#include "collector/merge/rank_times.h"
#include "collector/merge/raw/whole_run.h"
#include "collector/merge/symbols/mpi_modules.h"
#include "core/text/join.h"

namespace scalediag::merge {
namespace {

constexpr size_t kProblemsNamed = 3;

// Lists the problems, the first few in full.
class Problems {
 public:
  void add(std::string what) {
    if (named_.size() < kProblemsNamed) named_.push_back(std::move(what));
    ++count_;
  }
  void add_first(std::string what) {
    if (named_.size() == kProblemsNamed) named_.pop_back();
    named_.insert(named_.begin(), std::move(what));
    ++count_;
  }
  bool none() const { return count_ == 0; }
  std::string text() const {
    std::string all = core::join(named_, "; ");
    if (count_ > named_.size()) all += "; and " + std::to_string(count_ - named_.size()) + " more";
    return all;
  }

 private:
  std::vector<std::string> named_;
  size_t count_ = 0;
};

// The end of a process that left no footer, according to its clock points.
std::string how_it_ended(const RankRecord& r) {
  const auto seen = [&](raw::Phase p) { return r.point(p).has_value(); };
  if (seen(raw::Phase::kExit)) return "the process reached its exit but its last write is missing";
  if (seen(raw::Phase::kFinalizeEnd)) return "the process was killed after MPI_Finalize and before its exit";
  if (seen(raw::Phase::kFinalizeBegin)) return "the process was killed inside MPI_Finalize";
  return "the process was killed, replaced itself by another program, or could write no more";
}

// "rank000003.raw", as the collector names them.
std::optional<uint32_t> rank_of_name(const std::string& name) {
  constexpr std::string_view kPrefix = "rank";
  if (name.rfind(kPrefix, 0) != 0) return std::nullopt;
  uint32_t rank = 0;
  const char* const begin = name.data() + kPrefix.size();
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, rank);
  return error == std::errc() && std::string_view(stop, static_cast<size_t>(end - stop)) == ".raw" ? std::optional(rank)
                                                                                                   : std::nullopt;
}

std::string rank_text(uint32_t rank) { return "rank " + std::to_string(rank); }

class Scanner {
 public:
  Scanner(RunScan& scan, const core::RunEntry& entry) : scan_(scan), np_(entry.configuration.np), stamp_(entry.stamp) {
    scan_.stream_of_rank.assign(static_cast<size_t>(std::max(np_, 0)), {});
    quality_.assign(scan_.stream_of_rank.size(), 0);
  }

  void add(const RawStream& stream) {
    const std::string name(file_name(scan_.files[static_cast<size_t>(stream.id.file)]));
    const RawFile& file = stream.content;
    bool named = false;
    for (const RankRecord& r : file.records) {
      add_record(stream.id, name, file, r);
      named = named || r.identity.has_value();
    }
    if (named) return;
    const std::string who = stream.rank ? rank_text(*stream.rank) + " (" + name + ")" : name;
    problems_.add(who + ": " + (file.problem.empty() ? "it holds no rank" : file.problem));
    // The file's name gives the rank, which did leave a file.
    if (const auto rank = stream.rank ? stream.rank : rank_of_name(name)) reported_.insert(*rank);
  }

  void finish() {
    int missing = 0;
    int first = -1;
    for (size_t r = 0; r < scan_.stream_of_rank.size(); ++r) {
      if (scan_.stream_of_rank[r].file >= 0 || reported_.count(static_cast<uint32_t>(r)) > 0) continue;
      ++missing;
      if (first < 0) first = static_cast<int>(r);
    }
    scan_.each_alone = alone_ > 0 && !others_seen_;
    if (!other_size_.empty() && !scan_.each_alone) problems_.add(other_size_);
    if (scan_.each_alone) {
      problems_.add_first(each_alone_text(np_));
    } else if (missing == 1) {
      problems_.add(rank_text(static_cast<uint32_t>(first)) + ": no raw file");
    } else if (missing > 1) {
      problems_.add(std::to_string(missing) + " of " + std::to_string(np_) + " ranks left no raw file, the first is " +
                    rank_text(static_cast<uint32_t>(first)));
    }
    for (const auto& [host, ranks] : ranks_on_) scan_.ranks_on_a_host = std::max(scan_.ranks_on_a_host, ranks);
    for (const auto& [host, demands] : demands_on_) {
      const auto lacking = find_too_few_cpus(demands);
      const auto crowded = [](const TooFewCpus& t) { return static_cast<double>(t.threads) / t.cpus; };
      const bool is_worst = lacking && (!scan_.too_few_cpus || crowded(*lacking) > crowded(*scan_.too_few_cpus));
      if (is_worst) scan_.too_few_cpus = lacking;
    }
    if (rounds_differ_) problems_.add("its ranks did not all end after the same round of the main loop");
    scan_.main_loop = main_loop_.find();
    scan_.complete = problems_.none();
    scan_.reason = problems_.text();
  }

 private:
  void add_record(StreamId id, const std::string& name, const RawFile& file, const RankRecord& r) {
    const std::string who = rank_text(r.rank) + " (" + name + "): ";
    if (!r.identity) {
      reported_.insert(r.rank);
      problems_.add(who + "its identity is missing" + (file.problem.empty() ? "" : "; " + file.problem));
      return;
    }
    if (!stamp_.empty() && r.stamp != stamp_) {
      reported_.insert(r.rank);
      const std::string of = core::run_id_of_stamp(r.stamp);
      problems_.add(who + "it belongs to another run" +
                    (of.empty()                            ? std::string()
                     : of == core::run_id_of_stamp(stamp_) ? ", an earlier " + of + " or one of another experiment"
                                                           : ", " + of));
      return;
    }
    if (r.identity->size == 1 && np_ > 1) {
      ++alone_;
    } else {
      others_seen_ = true;
    }
    const bool expected_size = r.identity->size == static_cast<uint32_t>(np_);
    if (!expected_size && other_size_.empty()) {
      other_size_ = who + "MPI_COMM_WORLD has " + std::to_string(r.identity->size) + " ranks where " +
                    std::to_string(np_) + " were asked for";
    }
    if (r.rank >= scan_.stream_of_rank.size()) return;
    if (!has_clock_points(r)) {
      reported_.insert(r.rank);
      problems_.add(who + "its clock points are missing" + (file.problem.empty() ? "" : "; " + file.problem));
      return;
    }
    take(id, name, expected_size, file, r);
    scan_.modules.add(r);
    main_loop_.add(r);
    note_calls(r);
  }

  // Takes a record. Of several records of one rank, as programs that spawn others leave behind, the one that fits best
  // is used.
  void take(StreamId id, const std::string& name, bool expected_size, const RawFile& file, const RankRecord& r) {
    const bool finished = file.state == FileState::kFinished;
    const auto quality = static_cast<uint8_t>(1 + (finished ? 1 : 0) + (expected_size ? 2 : 0));
    StreamId& used = scan_.stream_of_rank[r.rank];
    if (used.file >= 0) {
      const bool better = quality > quality_[r.rank];
      const std::string other(file_name(scan_.files[static_cast<size_t>(used.file)]));
      scan_.warnings.push_back(rank_text(r.rank) + " is in " + other + " and in " + name + "; " +
                               (better ? name : other) + " is used");
      if (!better) return;
    } else {
      ++ranks_on_[r.identity->host];
      if (!r.allowed_cpus.empty()) ++demands_on_[r.identity->host][{r.allowed_cpus, busy_threads(r)}];
      if (scan_.host.empty() || r.rank == 0) scan_.host = r.identity->host;
      const uint32_t cpus = r.identity->online_cpus;
      if (cpus > 0) scan_.online_cpus = scan_.online_cpus == 0 ? cpus : std::min(scan_.online_cpus, cpus);
    }
    // MPI_Abort writes its own reason, and its ends are not treated here.
    const bool aborted = !finished && file.state != FileState::kNoFooter;
    if (!aborted && !r.point(raw::Phase::kFinalizeBegin)) {
      if (r.point(raw::Phase::kExit)) {
        ++scan_.left_without_finalize;
      } else if (!finished) {
        ++scan_.ended_unseen;
      }
    }
    used = id;
    quality_[r.rank] = quality;
    note_rounds(r);
    if (!finished) {
      problems_.add(who_ended(r, name, file));
      reported_.insert(r.rank);
    }
    scan_.threads = std::max(scan_.threads, busy_threads(r));
  }

  void note_rounds(const RankRecord& r) {
    const auto rounds = is_extended(r) ? r.rounds : std::nullopt;
    if (are_rounds_known_ && rounds != scan_.rounds) rounds_differ_ = true;
    are_rounds_known_ = true;
    scan_.rounds = rounds;
  }

  static int busy_threads(const RankRecord& r) {
    constexpr uint32_t kMost = 1 << 20;
    return has_busy_threads(r) ? static_cast<int>(std::clamp(r.losses.threads, 1U, kMost)) : 1;
  }

  static std::string who_ended(const RankRecord& r, const std::string& name, const RawFile& file) {
    std::string text = rank_text(r.rank) + " (" + name + "): " + file.problem;
    if (file.state == FileState::kNoFooter) text += ": " + how_it_ended(r);
    return text;
  }

  void note_calls(const RankRecord& r) {
    const double tick = seconds_per_tick(r);
    for (const auto& [key, totals] : r.operations) {
      if (totals.max_ticks == 0) continue;  // only polls, none of which was timed
      const double shortest = static_cast<double>(totals.min_ticks) * tick;
      const ClassKey key_of_class{operation_name(r, key.operation), key.communicator_size, key.size_bin};
      const auto [entry, is_new] = scan_.shortest_call_s.try_emplace(key_of_class, shortest);
      if (!is_new) entry->second = std::min(entry->second, shortest);
    }
  }

  RunScan& scan_;
  const int np_;
  const std::string stamp_;
  std::vector<uint8_t> quality_;
  std::set<uint32_t> reported_;  // ranks that a problem names
  std::map<std::string, int> ranks_on_;
  std::map<std::string, CoreDemands> demands_on_;
  MainLoopFinder main_loop_;
  Problems problems_;
  int alone_ = 0;  // processes alone in MPI_COMM_WORLD, where more ranks were asked for
  bool are_rounds_known_ = false, rounds_differ_ = false;
  bool others_seen_ = false;  // processes that were not
  std::string other_size_;    // the first process that has another number of ranks than was asked for
};

}  // namespace

std::string each_alone_text(int np) {
  return "each process found itself alone in MPI_COMM_WORLD where " + std::to_string(np) +
         " ranks were asked for: the launcher belongs to another MPI than the program, or does not start the ranks as "
         "one job";
}

Result<RunScan> scan_run(const core::ExperimentFolder& folder, const core::RunEntry& entry) {
  auto files = raw_files_in(folder.run_folder(core::run_id(entry.configuration, entry.repeat)));
  RunScan scan;
  if (!files || files.value().empty()) {
    scan.reason = files ? "no rank left a raw file" : files.error().message;
    return scan;
  }
  scan.files = std::move(files).value();
  Scanner scanner(scan, entry);
  std::optional<Error> newer;
  read_streams(scan.files, ReadScope::kTotals, [&](const RawStream& stream) {
    if (stream.content.state == FileState::kNewerVersion) {
      newer = Error{ErrorCode::kInput, stream.content.problem,
                    "use the scalediag that recorded the experiment, or a newer one",
                    scan.files[static_cast<size_t>(stream.id.file)]};
      return false;
    }
    scanner.add(stream);
    return true;
  });
  if (newer) return *newer;
  scanner.finish();
  return scan;
}

}  // namespace scalediag::merge
