#include "collector/emulate/emulated_run.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "collector/emulate/event_relay.h"
#include "collector/emulate/poll_watch.h"
#include "collector/emulate/rank_notices.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/process/interruption.h"
#include "collector/launch/process/process_run.h"
#include "collector/launch/process/process_tree.h"
#include "collector/launch/process/rank_failure.h"
#include "collector/launch/program/mpi_detection.h"
#include "collector/launch/session/run_outcome.h"
#include "core/exit_status.h"
#include "core/experiment/experiment.h"
#include "core/scratch_folder.h"
#include "core/text/numbers.h"

namespace scalediag::emulate {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Ranks are read in pieces, so that the reader disturbs the caches of ranks that share its core seldom. They ring where
// one asks, or has told much.
constexpr double kPause_s = 0.05;
// While a rank waits for the others to be so far that its question can be answered.
constexpr double kPauseOfAsked_s = 0.005;

constexpr double kUsualPatience_s = 300;
// Ranks that only poll do not need the time that a computation may take.
constexpr double kUsualPatienceOfPolls_s = 10;

// A launcher whose ranks have ended has as long to end itself.
constexpr std::chrono::seconds kUntilRanksAreGone{10};
constexpr std::chrono::milliseconds kBetweenLooksForRanks{100};

// Reads what ranks tell until it is told that the run is over.
class ReadingThread {
 public:
  ReadingThread(EventChannel& channel, EventRelay& relay, EventConsumer& consumer, const EmulationRequest& request,
                const std::string& stderr_log)
      : notices_(stderr_log),
        relay_(relay),
        channel_(channel),
        consumer_(consumer),
        patience_s_(request.patience_s.value_or(kUsualPatience_s)),
        polls_(request.patience_s.value_or(kUsualPatienceOfPolls_s), SteadyClock::now()),
        thread_([this] { work(); }) {}
  ReadingThread(const ReadingThread&) = delete;
  ReadingThread& operator=(const ReadingThread&) = delete;
  ~ReadingThread() { finish(); }

  // After the run: reads the rest.
  void finish() {
    over_.store(true, std::memory_order_release);
    channel_.ring();
    if (thread_.joinable()) thread_.join();
  }
  const std::atomic<bool>& gives_up() const { return gives_up_; }
  // After finish().
  const std::optional<Error>& error() const { return error_; }

 private:
  void work() {
    consumer_.begin(channel_);
    auto last = SteadyClock::now();
    for (;;) {
      const bool was_over = over_.load(std::memory_order_acquire);
      auto left = notices_.look();
      for (const std::vector<std::string>& addresses : notices_.take_asking()) relay_.expect(addresses);
      if (!left) left = relay_.look();
      if (left) {
        give_up(*std::move(left));
        break;
      }
      const bool told = read();
      if (gives_up_.load(std::memory_order_relaxed) || (was_over && !told)) break;
      const auto now = SteadyClock::now();
      if (const std::string polling = polls_.look(channel_, told, now); !polling.empty()) {
        give_up({ErrorCode::kInput,
                 "ranks only poll, and what they poll for does not come: " + polling + "; " + consumer_.state(),
                 "a program that polls for a while and then goes on by itself needs a longer --patience"});
        break;
      }
      if (told) {
        last = now;
      } else if (std::chrono::duration<double>(now - last).count() > patience_s_) {
        give_up(silence());
        break;
      } else if (ranks_are_gone(now)) {
        give_up({ErrorCode::kEnvironment,
                 "all processes of the program have ended, and " + attached_text() +
                     ", while the launcher goes on without them",
                 "look at what the program and its launcher printed, and whether there is room in the folder for "
                 "temporary files (TMPDIR)"});
        break;
      }
      channel_.wait(consumer_.is_asked() ? kPauseOfAsked_s : kPause_s);
    }
    channel_.close();
  }

  bool read() {
    Status good = Done{};
    const std::vector<uint32_t>& told = channel_.read([&](uint32_t rank, std::string_view bytes) {
      if (good) good = consumer_.take(rank, bytes);
    });
    if (good) good = consumer_.go_on(told);
    if (!good) give_up(good.error());
    return !told.empty();
  }

  void give_up(Error error) {
    error_ = std::move(error);
    gives_up_.store(true, std::memory_order_release);
  }

  Error silence() const {
    const std::string patience = core::to_text(patience_s_) + " s";
    if (all([&](uint32_t r) { return channel_.has_ended(r); })) {
      return {ErrorCode::kEnvironment,
              "all ranks have called MPI_Finalize, and the program does not end: " + patience + " have passed since",
              "see whether it ends without scalediag (mpirun, with the same environment)"};
    }
    if (!all([&](uint32_t r) { return channel_.has_attached(r); })) {
      return {ErrorCode::kInput, "nothing has happened for " + patience + ", and " + attached_text(),
              "look at what the program and its launcher printed; a program that takes longer before MPI_Init needs a "
              "longer --patience"};
    }
    return {ErrorCode::kInput, "no rank has told of a call of MPI for " + patience + ": " + consumer_.state(),
            "a program that computes for longer without calls needs a longer --patience"};
  }

  std::string attached_text() const {
    uint32_t n = 0;
    for (uint32_t r = 0; r < channel_.ranks(); ++r) n += channel_.has_attached(r) ? 1 : 0;
    return "only " + std::to_string(n) + " of " + std::to_string(channel_.ranks()) + " ranks have called MPI_Init";
  }

  // Whether ranks were seen on this host and none has been there for a while, before all had called MPI_Init. They have
  // the address of the emulation in their environment, which their launcher has not.
  bool ranks_are_gone(SteadyClock::time_point now) {
    if (now < look_for_ranks_at_) return false;
    look_for_ranks_at_ = now + kBetweenLooksForRanks;
    if (all([&](uint32_t r) { return channel_.has_attached(r); })) return false;
    const bool are_here = !launch::processes_with("SCALEDIAG_EMULATION=" + channel_.address() + relay_.ways()).empty();
    if (are_here) seen_here_at_ = now;
    return seen_here_at_ && now - *seen_here_at_ > kUntilRanksAreGone;
  }

  bool all(auto is) const {
    for (uint32_t r = 0; r < channel_.ranks(); ++r) {
      if (!is(r)) return false;
    }
    return true;
  }

  RankNotices notices_;
  EventRelay& relay_;
  EventChannel& channel_;
  EventConsumer& consumer_;
  const double patience_s_;
  PollWatch polls_;
  SteadyClock::time_point look_for_ranks_at_{};
  std::optional<SteadyClock::time_point> seen_here_at_;
  std::atomic<bool> over_{false}, gives_up_{false};
  std::optional<Error> error_;
  std::thread thread_;
};

Result<launch::ProfilePreparation> prepare(const EmulationRequest& request, const std::string& folder) {
  if (request.command.empty()) {
    return Error{ErrorCode::kUsage, "no application is given",
                 "write it after --, as in scalediag emulate -n 16 --network network.json -- ./app"};
  }
  launch::ProfileRequest profile;
  static_cast<launch::ProgramRequest&>(profile) = request;
  profile.output = request.output.empty() ? folder + "/run" : request.output;
  if (request.output.empty()) profile.sampler = "none";
  profile.counters = "none";
  auto prepared = launch::prepare_run(std::move(profile), request.np);
  if (prepared) prepared.value().experiment.emulation = request.emulation;
  return prepared;
}

std::vector<std::string> command_of(const launch::ProfilePreparation& preparation, const EmulationRequest& request,
                                    const std::string& folder, const std::string& stamp, const std::string& memory) {
  std::vector<std::string> rank = {preparation.installation.shim,
                                   "--library",
                                   preparation.installation.library,
                                   "--directory",
                                   folder,
                                   "--stamp",
                                   stamp,
                                   "--sampler",
                                   preparation.experiment.sampler,
                                   "--rate",
                                   core::to_text(preparation.experiment.rate_hz),
                                   "--emulation",
                                   memory};
  if (request.traced && !request.output.empty()) rank.insert(rank.end(), {"--trace", "series"});
  rank.push_back("--");
  const std::vector<std::string>& application = preparation.configurations[0].command;
  rank.insert(rank.end(), application.begin(), application.end());
  return launch::launch_command(preparation.launcher, request.np, preparation.experiment.host.cores, rank);
}

// The key is in no command line, which other users of the host can read. Open MPI's launcher hands only those variables
// to ranks on other hosts that its parameter names; others hand on all.
std::vector<std::pair<std::string, std::string>> key_for_ranks(const std::string& key) {
  constexpr char kHandedOn[] = "OMPI_MCA_mca_base_env_list";
  const char* const others = std::getenv(kHandedOn);
  const std::string list = others != nullptr && *others != '\0' ? std::string(others) + ";" : "";
  return {{stream::kKeyVariable, key}, {kHandedOn, list + stream::kKeyVariable}};
}

}  // namespace

Result<EmulatedRun> run_emulated(const EmulationRequest& request, EventConsumer& consumer, launch::Notices& notices) {
  const core::ScratchFolder folder("emulate");
  if (folder.path().empty()) {
    return Error{ErrorCode::kEnvironment, "no temporary folder can be made", "set TMPDIR to a folder with room"};
  }
  const launch::ProfilePreparation preparation = TRY(prepare(request, folder.path()));
  for (const std::string& text : preparation.notes) notices.note(text);
  auto channel = TRY(EventChannel::open(request.np, request.demands));
  EventRelay relay(channel);

  const launch::InterruptionGuard interruption;
  std::unique_ptr<EmulatedProfile> profile;
  if (!request.output.empty()) {
    auto begun = TRY(EmulatedProfile::begin(preparation));
    profile = std::make_unique<EmulatedProfile>(std::move(begun));
  }
  const std::string run_folder = profile ? profile->run_folder() : folder.path();
  const std::string stamp = profile ? profile->stamp() : core::new_stamp("emulate");
  const auto stdin_fd = TRY(preparation.stdin_source.open());
  launch::ProcessRequest process;
  process.program = preparation.launcher.words[0];
  process.command = command_of(preparation, request, run_folder, stamp, channel.address() + relay.ways());
  process.stamp = stamp;
  process.environment = key_for_ranks(relay.key());
  process.stdin_fd = stdin_fd;
  process.stdout_log = run_folder + "/stdout.log";
  process.stderr_log = run_folder + "/stderr.log";
  process.timeout_s = request.timeout_s;
  process.output_to_stderr = request.output_to_stderr;

  EmulatedRun run;
  std::optional<Error> error;
  auto outcome = [&] {
    ReadingThread reader(channel, relay, consumer, request, process.stderr_log);
    process.given_up = &reader.gives_up();
    auto result = launch::run_process(process, interruption);
    reader.finish();
    error = reader.error();
    return result;
  }();
  if (stdin_fd >= 0) close(stdin_fd);
  if (!outcome) error = outcome.error();
  if (error) {
    // The first error is the one to report.
    if (profile) [[maybe_unused]]
      const Status ignored = profile->fail(error->message, core::kExitEnvironment);
    return *error;
  }
  run.elapsed_s = outcome.value().elapsed_s;
  run.decided_here = channel.real_order();
  run.unknown_times = channel.unknown_times();
  for (uint32_t r = 0; r < channel.ranks(); ++r) run.sleep.push_back(channel.sleep(r));
  const auto signal = launch::find_rank_signal_in_logs(process.stdout_log, process.stderr_log);
  const auto judged = launch::judge_run(outcome.value(), {0}, request.timeout_s.value_or(0), signal, "");
  if (judged.state != core::RunState::kComplete) {
    run.failure = judged.reason;
    if (outcome.value().end == launch::ProcessOutcome::End::kTimedOut) run.failure += "; " + consumer.state();
    run.exit_status = judged.exit_status;
    if (profile) TRY(profile->fail(run.failure, run.exit_status));
    if (outcome.value().end == launch::ProcessOutcome::End::kTimedOut) run.hint = "give a longer --timeout";
    return run;
  }
  uint32_t n_attached = 0;
  for (uint32_t r = 0; r < channel.ranks(); ++r) n_attached += channel.has_attached(r) ? 1 : 0;
  if (n_attached < channel.ranks()) {
    const bool has_sessions = n_attached == 0 && launch::has_sessions_only(preparation.experiment.executable);
    const Error missing = {
        ErrorCode::kEnvironment,
        has_sessions ? launch::kSessionsOnly
                     : "only " + std::to_string(n_attached) + " of " + std::to_string(request.np) +
                           " ranks have called MPI_Init",
        has_sessions ? launch::kSessionsHint : "look at what the program printed; MPI_Init has to be called"};
    if (profile) [[maybe_unused]]
      const Status ignored = profile->fail(missing.message, core::kExitEnvironment);
    return missing;
  }
  run.profile = std::move(profile);
  return run;
}

}  // namespace scalediag::emulate
