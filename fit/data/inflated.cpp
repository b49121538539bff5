#include "fit/data/inflated.h"

#include <zlib.h>

#include <algorithm>

namespace scalediag::fit {
namespace {

int window_bits(Packing packing) {
  constexpr int kMost = 15;
  if (packing == Packing::kRaw) return -kMost;
  return packing == Packing::kGzip ? kMost + 16 : kMost;
}

}  // namespace

std::optional<std::string> inflated(std::string_view packed, Packing packing, size_t most) {
  z_stream stream = {};
  if (inflateInit2(&stream, window_bits(packing)) != Z_OK) return std::nullopt;
  std::string out;
  int status = Z_OK;
  // zlib counts input in 32 bits.
  constexpr size_t kPiece = size_t{1} << 30;
  while (status == Z_OK) {
    if (stream.avail_in == 0 && !packed.empty()) {
      const std::string_view piece = packed.substr(0, kPiece);
      packed.remove_prefix(piece.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    const size_t before = out.size();
    out.resize(std::min(most + 1, std::max<size_t>(before * 2, 4096)));
    if (out.size() == before) break;  // more than `most`
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    const size_t room = std::min(out.size() - before, kPiece);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + room - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out.size() > most) return std::nullopt;
  return out;
}

}  // namespace scalediag::fit
