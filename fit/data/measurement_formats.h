// The formats of files with measurements, a row each. A format is recognised by the file's content alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/measurement_set.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

// The kind of a file that was given as INPUT.
enum class FileKind {
  kProfile,
  kExtrapText,
  kExtrapJson,
  kExtrapJsonLines,
  kExtrapSaved,
  kCube,
  kCali,
  kCaliperJson,
  kTalp,
  kMpip,
  kGprof,
  kPerfReport,
  kExportedCsv,
  kTable,
};

struct MeasurementFormat {
  FileKind kind;
  const char* name;  // in messages: "Extra-P's text format"
  bool (*recognises)(std::string_view text);
  // One of the two is set, but for profile.json, which is read elsewhere. `read` gives an experiment at all of its
  // scales, `read_run` one run, of which several files make an experiment. Errors (kInput): as in the readers' headers.
  core::Result<MeasurementSet> (*read)(const std::string& text, const std::string& file);
  core::Result<MeasuredRun> (*read_run)(const std::string& text, const std::string& file);
};

// All formats, in the order in which they are tried. The last one recognises everything.
std::span<const MeasurementFormat> measurement_formats();

// True where a file that begins with `head` may be of a single run; others are left unread. At least 4000 bytes are
// needed, or the whole file.
bool may_begin_run(std::string_view head);

const MeasurementFormat& format_of(FileKind kind);

// The run that `format.read_run` reads. Precondition: it is set. Errors (kInput): its own; more than kMostRunValues
// values.
core::Result<MeasuredRun> read_run(const MeasurementFormat& format, const std::string& text, const std::string& file);

}  // namespace scalediag::fit
