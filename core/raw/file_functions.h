// The functions of the C library on files that are counted: their names, and whether they read or write. Header only,
// C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scalediag::raw {

// The functions that are told apart; those with other names for the same thing (pread64, __pread_chk) count as these.
enum class FileFunction : uint8_t {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kPread,
  kPwrite,
  kReadv,
  kWritev,
  kPreadv,
  kPwritev,
  kSync,
  kFopen,
  kFclose,
  kFread,
  kFwrite,
  kFgets,
  kGetline,
  kFputs,
  kFprintf,
  kFflush,
  kCount
};

enum class Transfer : uint8_t { kNone, kRead, kWrite };

struct FileFunctionRow {
  const char* name;
  Transfer transfer;
};

// A row a FileFunction, in that order.
inline constexpr FileFunctionRow kFileFunctions[] = {
    {"open", Transfer::kNone},     {"close", Transfer::kNone},   {"read", Transfer::kRead},
    {"write", Transfer::kWrite},   {"pread", Transfer::kRead},   {"pwrite", Transfer::kWrite},
    {"readv", Transfer::kRead},    {"writev", Transfer::kWrite}, {"preadv", Transfer::kRead},
    {"pwritev", Transfer::kWrite}, {"fsync", Transfer::kNone},   {"fopen", Transfer::kNone},
    {"fclose", Transfer::kNone},   {"fread", Transfer::kRead},   {"fwrite", Transfer::kWrite},
    {"fgets", Transfer::kRead},    {"getline", Transfer::kRead}, {"fputs", Transfer::kWrite},
    {"fprintf", Transfer::kWrite}, {"fflush", Transfer::kNone}};
static_assert(sizeof(kFileFunctions) / sizeof(kFileFunctions[0]) == static_cast<size_t>(FileFunction::kCount),
              "a row a function");

// The direction in which a function of that name, or an operation of MPI-IO (MPI_File_iread_at), moves data: kNone for
// those that move none, and for unknown names.
constexpr Transfer transfer_of(std::string_view operation) {
  for (const FileFunctionRow& row : kFileFunctions) {
    if (operation == row.name) return row.transfer;
  }
  constexpr std::string_view kMpi = "MPI_File_";
  if (operation.substr(0, kMpi.size()) != kMpi) return Transfer::kNone;
  const std::string_view rest = operation.substr(kMpi.size());
  const auto begins = [rest](std::string_view word) { return rest.substr(0, word.size()) == word; };
  if (begins("read") || begins("iread")) return Transfer::kRead;
  return begins("write") || begins("iwrite") ? Transfer::kWrite : Transfer::kNone;
}

}  // namespace scalediag::raw
