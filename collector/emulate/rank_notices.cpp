#include "collector/emulate/rank_notices.h"

#include <fcntl.h>
#include <unistd.h>

#include <sstream>
#include <utility>

#include "core/raw/event_stream.h"

namespace scalediag::emulate {
namespace {

constexpr char kBegin[] = "scalediag: rank ";

// "[1,3]<stderr>:scalediag: rank 3 on host node2 is not emulated: the reason": launchers may put something before it.
std::optional<Error> refusal_of(const std::string& line) {
  const size_t begin = line.find(kBegin);
  const size_t middle = begin == line.npos ? line.npos : line.find(stream::kNotEmulated, begin);
  if (middle == line.npos) return std::nullopt;
  const size_t rank = begin + sizeof kBegin - sizeof "rank ";
  std::string reason = line.substr(middle + sizeof stream::kNotEmulated - 1);
  std::string hint;
  if (const size_t at = reason.find(stream::kHint); at != reason.npos) {
    hint = reason.substr(at + sizeof stream::kHint - 1);
    reason.resize(at);
  }
  return Error{ErrorCode::kInput, line.substr(rank, middle - rank) + " cannot be emulated: " + reason, hint};
}

// "scalediag: rank 3 on host node2 asks to join the emulation from 10.0.0.2,10.1.0.2".
std::optional<std::vector<std::string>> addresses_of_asking(const std::string& line) {
  const size_t at = line.find(stream::kAsksToJoin);
  if (at == line.npos || line.find(kBegin) > at) return std::nullopt;
  const size_t begin = at + sizeof stream::kAsksToJoin - 1;
  std::istringstream list(line.substr(begin, line.find_first_not_of("0123456789abcdefABCDEF.:,", begin) - begin));
  std::vector<std::string> addresses;
  for (std::string address; std::getline(list, address, ',');) addresses.push_back(address);
  return addresses;
}

}  // namespace

std::vector<std::vector<std::string>> RankNotices::take_asking() { return std::exchange(asking_, {}); }

RankNotices::~RankNotices() {
  if (fd_ >= 0) close(fd_);
}

std::optional<Error> RankNotices::look() {
  if (fd_ < 0) fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return std::nullopt;
  char bytes[4096];
  for (ssize_t n; (n = read(fd_, bytes, sizeof bytes)) > 0;) {
    line_.append(bytes, static_cast<size_t>(n));
    for (size_t end; (end = line_.find('\n')) != line_.npos; line_.erase(0, end + 1)) {
      const std::string line = line_.substr(0, end);
      if (auto refusal = refusal_of(line)) return refusal;
      if (auto addresses = addresses_of_asking(line)) asking_.push_back(*std::move(addresses));
    }
    if (line_.size() > 65536) line_.clear();  // none of ours is so long
  }
  return std::nullopt;
}

}  // namespace scalediag::emulate
