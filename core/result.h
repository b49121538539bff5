// Recoverable failure as a value: Result<T> holds either a T or an Error.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace scalediag::core {

// The kind of failure, which decides the exit status of a command.
enum class ErrorCode {
  kUsage,        // the command line contradicts itself or names a thing that does not exist: exit status 2
  kInput,        // a file or folder that was given cannot be used: exit status 2
  kEnvironment,  // this machine lacks something or refuses it: exit status 3
};

struct Error {
  ErrorCode code = ErrorCode::kInput;
  std::string message;  // the problem, one sentence without a full stop
  std::string hint{};   // the command or setting that helps; may be empty
  std::string where{};  // file, run or option concerned; may be empty
};

template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // Precondition of the next three: ok().
  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }

  // Precondition: !ok().
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The value of a function that only has an effect.
struct Done {};
using Status = Result<Done>;

}  // namespace scalediag::core

namespace scalediag {

// The rooms write these without their namespace.
using core::Done;
using core::Error;
using core::ErrorCode;
using core::Result;
using core::Status;

}  // namespace scalediag

// The value of a Result; where it holds an error, the function around returns that. TRY is a whole statement, or all
// that is assigned, as in `const auto text = TRY(read_file(path));`: other parts of an expression would be left
// halfway.
#define TRY(...)                                      \
  __extension__({                                     \
    auto result_of_try = (__VA_ARGS__);               \
    if (!result_of_try) return result_of_try.error(); \
    std::move(result_of_try).value();                 \
  })
