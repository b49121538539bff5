#include "core/raw/own_descriptor.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>
#include <utility>

namespace scalediag::raw {
namespace {

int new_socket() { return socket(AF_UNIX, SOCK_STREAM, 0); }

int new_perf_event() {
  perf_event_attr a;
  std::memset(&a, 0, sizeof a);
  a.size = sizeof a;
  a.type = PERF_TYPE_SOFTWARE;
  a.config = PERF_COUNT_SW_TASK_CLOCK;
  a.exclude_kernel = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &a, 0, -1, -1, 0));
}

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(OwnDescriptor, HasAHighNumberThatIsClosedOnExec) {
  const int low = new_socket();
  const OwnDescriptor own(low);
  EXPECT_GE(own.get(), 200);
  EXPECT_EQ(fcntl(own.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_FALSE(is_open(low));
}

TEST(OwnDescriptor, IsNoneOnceItIsClosedOrAnothersNumber) {
  OwnDescriptor own(new_socket());
  const int fd = own.get();
  ::close(fd);
  EXPECT_EQ(own.get(), -1);
  const int theirs = new_socket();
  ASSERT_EQ(dup2(theirs, fd), fd);
  EXPECT_EQ(own.get(), -1);
  EXPECT_FALSE(OwnDescriptor::is_own(fd));
  own.close();
  EXPECT_TRUE(is_open(fd)) << "the application's was closed";
  ::close(fd);
  ::close(theirs);
}

TEST(OwnDescriptor, EventsOfPerfDiffer) {
  const int event = new_perf_event(), theirs = new_perf_event();
  if (event < 0 || theirs < 0) GTEST_SKIP() << "events of perf are refused here: " << std::strerror(errno);
  const OwnDescriptor own(event);
  const int fd = own.get();
  ASSERT_GE(fd, 200);
  const int nameless = eventfd(0, 0);  // of the same inode
  for (const int other : {theirs, nameless}) {
    ASSERT_EQ(dup2(other, fd), fd);
    EXPECT_EQ(own.get(), -1);
    ::close(other);
  }
  ::close(fd);
}

TEST(OwnDescriptor, IsReplacedByTheSameFileOnly) {
  char name[] = "/tmp/scalediag-own-XXXXXX";
  OwnDescriptor own(mkstemp(name));
  const int fd = own.get();
  ::close(fd);
  EXPECT_FALSE(own.replace_by(OwnDescriptor(new_socket())));
  EXPECT_FALSE(own.replace_by(OwnDescriptor(-1)));
  EXPECT_EQ(own.get(), -1);
  EXPECT_TRUE(own.replace_by(OwnDescriptor(open(name, O_RDONLY))));
  EXPECT_GE(own.get(), 200);
  EXPECT_TRUE(OwnDescriptor::is_own(own.get()));
  unlink(name);
}

// The application opens the same file at the number that was ours: it may close it.
TEST(OwnDescriptor, TheNumberBeforeIsNoLongerOwn) {
  char name[] = "/tmp/scalediag-own-XXXXXX";
  OwnDescriptor own(mkstemp(name));
  const int before = own.get();
  ::close(before);
  const int theirs = open(name, O_RDONLY);
  ASSERT_EQ(dup2(theirs, before), before);
  EXPECT_TRUE(own.replace_by(OwnDescriptor(open(name, O_RDONLY))));
  EXPECT_NE(own.get(), before);
  EXPECT_FALSE(OwnDescriptor::is_own(before));
  EXPECT_TRUE(OwnDescriptor::is_own(own.get()));
  ::close(before);
  ::close(theirs);
  unlink(name);
}

TEST(OwnDescriptor, OwnNumbersAreKnownWhileTheyAreOwn) {
  OwnDescriptor first(new_socket()), second(new_socket());
  const auto low = static_cast<unsigned>(first.get()), high = static_cast<unsigned>(second.get());
  ASSERT_LT(low, high);
  EXPECT_EQ(OwnDescriptor::lowest_own(3, 4095), low);
  EXPECT_EQ(OwnDescriptor::lowest_own(low + 1, ~0U), high);
  EXPECT_EQ(OwnDescriptor::lowest_own(low + 1, high - 1), std::nullopt);
  const OwnDescriptor moved = std::move(second);
  EXPECT_TRUE(OwnDescriptor::is_own(moved.get()));
  first.close();
  EXPECT_EQ(OwnDescriptor::lowest_own(3, 4095), high);
  OwnDescriptor::disown_all();
  EXPECT_EQ(OwnDescriptor::lowest_own(3, 4095), std::nullopt);
  EXPECT_GE(moved.get(), 200);
}

}  // namespace
}  // namespace scalediag::raw
