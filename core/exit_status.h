// The exit statuses of scalediag; `scalediag profile` passes the application's own status on as well.
#pragma once

namespace scalediag::core {

constexpr int kExitSuccess = 0;
constexpr int kExitRuleFailed = 1;  // of `scalediag check`
constexpr int kExitDifferent = 1;   // of `scalediag trace --compare`, as cmp(1)
constexpr int kExitUsage = 2;
constexpr int kExitEnvironment = 3;
constexpr int kExitTimeout = 124;  // as timeout(1)

}  // namespace scalediag::core
