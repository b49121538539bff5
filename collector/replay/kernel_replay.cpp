#include "collector/replay/kernel_replay.h"

#include <fcntl.h>
#include <unistd.h>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/session/profile_session.h"
#include "collector/launch/session/progress.h"
#include "collector/launch/store/experiment_store.h"
#include "collector/replay/set_variables.h"
#include "core/profile/profile_json.h"

namespace scalediag::replay {
namespace {

// Progress that nobody sees.
class Silence {
 public:
  Silence() : fd_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {}
  ~Silence() {
    if (fd_ >= 0) close(fd_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

Status profile_replay(const launch::ProfileRequest& request, const std::map<std::string, std::string>& environment,
                      launch::Notices& notices) {
  auto preparation = TRY(launch::prepare_profile(request));
  auto store = TRY(launch::ExperimentStore::open(preparation.folder, preparation.experiment, true));
  const Silence silence;
  launch::Progress progress(silence.fd(), false);
  launch::ProfileSession session(request, preparation, store, progress, notices);
  const SetVariables set(environment);
  const auto outcome = TRY(session.run());
  if (outcome.interrupted_by == 0 && outcome.failures.empty()) return Done{};
  return Error{
      ErrorCode::kEnvironment,
      "the replay cannot be profiled: " + (outcome.failures.empty() ? "it was interrupted" : outcome.failures.front()),
      outcome.hint};
}

Result<std::vector<core::Kernel>> replayed_kernels(const std::string& folder) {
  const auto profile = TRY(core::read_profile(core::ExperimentFolder(folder).profile_file()));
  std::vector<core::Kernel> kernels;
  for (const core::Run& run : profile.runs) {
    for (const core::Kernel& kernel : run.kernels) {
      const bool is_ours = kernel.module == "libscalediag-replay.so";
      if (kernel.kind == core::KernelKind::kFunction && !is_ours) kernels.push_back(kernel);
    }
  }
  return kernels;
}

}  // namespace scalediag::replay
