#include "tests/fit/data/cube_builder.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace scalediag::fit {
namespace {

template <typename T>
std::string bytes_of(T value, bool big_endian) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string packed(const std::string& plain, int window_bits) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string tar_of(const TarMembers& members) {
  std::string tar;
  for (const auto& [name, content] : members) {
    std::string header(512, '\0');
    std::copy(name.begin(), name.end(), header.begin());
    char size[12];
    std::snprintf(size, sizeof size, "%011zo", content.size());
    std::copy_n(size, 11, header.begin() + 124);
    header[156] = '0';
    std::copy_n("ustar", 5, header.begin() + 257);
    tar += header + content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return tar + std::string(1024, '\0');
}

std::string cube_index(const std::vector<int>& rows, bool big_endian) {
  std::string index = "CUBEX.INDEX" + bytes_of<uint32_t>(1, big_endian) + bytes_of<uint16_t>(0, big_endian) + '\1' +
                      bytes_of<uint32_t>(static_cast<uint32_t>(rows.size()), big_endian);
  for (const int row : rows) index += bytes_of<int32_t>(row, big_endian);
  return index;
}

std::string cube_data(const std::vector<double>& values, bool big_endian) {
  std::string data = "CUBEX.DATA";
  for (const double value : values) data += bytes_of(value, big_endian);
  return data;
}

std::string packed_cube_data(const std::vector<double>& values) {
  const std::string plain = cube_data(values).substr(10);
  const std::string pieces[] = {plain.substr(0, 40), plain.substr(40)};
  std::string head = "ZCUBEX.DATA" + bytes_of<uint64_t>(2, false), body;
  uint64_t from = 0;
  for (const std::string& piece : pieces) {
    const std::string block = packed(piece, 15);
    head += bytes_of<uint64_t>(from, false) + bytes_of<uint64_t>(body.size(), false) +
            bytes_of<uint64_t>(block.size(), false);
    body += block;
    from += piece.size();
  }
  return head + body;
}

std::string cube_metric(int id, const std::string& type, const std::string& name, const std::string& dtype,
                        const std::string& unit) {
  return "<metric id=\"" + std::to_string(id) + "\" type=\"" + type + "\"><disp_name>" + name +
         "</disp_name><uniq_name>" + name + "</uniq_name><dtype>" + dtype + "</dtype><uom>" + unit + "</uom></metric>";
}

std::string cube_anchor_xml(const std::string& metrics) {
  const auto region = [](int id, const char* name) {
    return "<region id=\"" + std::to_string(id) + "\" mod=\"a.c\"><name>" + name + "</name></region>";
  };
  const auto group = [](int id) {
    std::string text = "<locationgroup Id=\"" + std::to_string(id) + "\"><name>rank</name><type>process</type>";
    for (int i = 0; i < 2; ++i) {
      text += "<location Id=\"" + std::to_string(2 * id + i) + "\"><name>thread</name><type>thread</type></location>";
    }
    return text + "</locationgroup>";
  };
  return "<?xml version=\"1.0\"?>\n<cube version=\"4.4\"><metrics>" + metrics + "</metrics>\n<program>" +
         region(0, "main") + region(1, "solve") + region(2, "MPI_Send") + region(3, "output") +
         "<cnode id=\"0\" calleeId=\"0\"><cnode id=\"1\" calleeId=\"1\"><cnode id=\"2\" calleeId=\"2\"/></cnode>"
         "<cnode id=\"3\" calleeId=\"3\"/></cnode></program>\n<system><systemtreenode Id=\"0\"><name>machine</name>" +
         group(0) + group(1) + "</systemtreenode></system></cube>\n";
}

std::string example_cube(bool is_packed) {
  const std::string xml = cube_anchor_xml(cube_metric(0, "INCLUSIVE", "time", "DOUBLE", "sec") +
                                          cube_metric(1, "EXCLUSIVE", "visits", "DOUBLE", "occ"));
  // Rows of inclusive metrics are main, solve, output, MPI_Send; of exclusive ones main, solve, MPI_Send, output.
  const std::vector<double> time{10, 6, 12, 7, 8, 6, 9, 7, 1, 0, 1, 0, 2, 0, 4, 0};
  const std::vector<double> visits{1, 0, 1, 0, 5, 5, 5, 5};
  return tar_of({{"0.index", cube_index({0, 1, 2, 3})},
                 {"0.data", is_packed ? packed_cube_data(time) : cube_data(time)},
                 {"1.index", cube_index({0, 2})},
                 {"1.data", cube_data(visits)},
                 {"anchor.xml", is_packed ? gzipped(xml) : xml}});
}

std::string gzipped(const std::string& plain) { return packed(plain, 15 + 16); }

}  // namespace scalediag::fit
