#include "tests/collector/merge/raw/raw_file_builder.h"

#include <cstring>

namespace scalediag::merge {

RawFileBuilder::RawFileBuilder(uint32_t rank, ByteOrder order) : order_(order), rank_(rank) {}

RawFileBuilder& RawFileBuilder::rank(uint32_t rank) {
  rank_ = rank;
  return *this;
}

RawFileBuilder& RawFileBuilder::version(uint32_t version) {
  version_ = version;
  return *this;
}

RawFileBuilder& RawFileBuilder::stop(raw::StopReason reason, int error_number) {
  stop_reason_ = static_cast<uint32_t>(reason);
  stop_errno_ = static_cast<uint32_t>(error_number);
  return *this;
}

RawFileBuilder& RawFileBuilder::identity(const RankIdentity& i) {
  Payload p = payload();
  p.u32(i.rank).u32(i.size).u64(i.pid).text(i.host).text(i.executable).text(i.mpi_library_version);
  p.text(i.sampler).text(i.sampler_reason).u64(i.period_ns).u32(i.online_cpus);
  p.u32(static_cast<uint32_t>(i.counters.size()));
  for (const std::string& c : i.counters) p.text(c);
  return chunk(1, p);
}

RawFileBuilder& RawFileBuilder::modules(uint32_t epoch, const std::vector<ModuleSpan>& modules) {
  Payload p = payload();
  p.u32(epoch).u32(static_cast<uint32_t>(modules.size()));
  for (const ModuleSpan& m : modules) p.u64(m.load_bias).u64(m.begin).u64(m.end).text(m.path).text(m.build_id);
  return chunk(2, p);
}

RawFileBuilder& RawFileBuilder::samples(const std::vector<SampleRow>& rows) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(rows.size()));
  for (const SampleRow& r : rows) {
    p.u32(r.key.thread_class).u32(r.key.operation).u32(r.key.epoch).u64(r.key.address);
    p.u64(r.totals.samples).u64(r.totals.cpu_ns).u64(r.totals.system_ns);
    for (const uint64_t c : r.totals.counters) p.u64(c);
  }
  return chunk(3, p);
}

RawFileBuilder& RawFileBuilder::path_samples(const std::vector<SampleRow>& rows) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(rows.size()));
  for (const SampleRow& r : rows) {
    p.u32(r.key.thread_class).u32(r.key.operation).u32(r.key.epoch).u64(r.key.address).u32(r.key.callers);
    p.u64(r.totals.samples).u64(r.totals.cpu_ns).u64(r.totals.system_ns);
    for (const uint64_t c : r.totals.counters) p.u64(c);
  }
  return chunk(17, p);
}

RawFileBuilder& RawFileBuilder::callers(const std::vector<raw::Caller>& callers) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(callers.size()));
  for (const raw::Caller& c : callers) p.u32(c.number).u32(c.parent).u32(c.epoch).u64(c.address);
  return chunk(16, p);
}

RawFileBuilder& RawFileBuilder::operation_names(const std::vector<OperationName>& names) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(names.size()));
  for (const OperationName& n : names) p.u32(n.id).text(n.name);
  return chunk(4, p);
}

RawFileBuilder& RawFileBuilder::call_sites(const std::vector<raw::CallSite>& sites) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(sites.size()));
  for (const raw::CallSite& s : sites) {
    p.u32(s.site).u32(s.epoch).u32(static_cast<uint32_t>(s.frames.size()));
    for (const uint64_t frame : s.frames) p.u64(frame);
  }
  return chunk(15, p);
}

RawFileBuilder& RawFileBuilder::operations(const std::vector<OperationRow>& rows) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(rows.size()));
  for (const OperationRow& r : rows) {
    p.u32(r.key.operation).u32(r.key.thread_class).u32(r.key.communicator_size).u32(r.key.size_bin);
    p.u64(r.totals.calls).u64(r.totals.bytes).u64(r.totals.ticks).u64(r.totals.min_ticks).u64(r.totals.max_ticks);
  }
  return chunk(5, p);
}

RawFileBuilder& RawFileBuilder::peers(const std::vector<PeerRow>& rows) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(rows.size()));
  for (const PeerRow& r : rows) {
    p.u32(r.key.peer).u32(r.key.direction).u64(r.totals.messages).u64(r.totals.bytes);
  }
  return chunk(6, p);
}

RawFileBuilder& RawFileBuilder::clock(const ClockPoint& c) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(c.phase)).u64(c.ticks).u64(c.monotonic_ns).u64(c.realtime_ns);
  p.u64(c.process_cpu_ns).u64(c.main_thread_cpu_ns).u64(c.collector_cpu_ns);
  return chunk(7, p);
}

RawFileBuilder& RawFileBuilder::losses(const Losses& l) {
  Payload p = payload();
  p.u64(l.lost_samples).u64(l.unsampled_threads).u64(l.dropped_keys).u64(l.uncounted_calls).u32(l.threads);
  return chunk(8, p);
}

RawFileBuilder& RawFileBuilder::counting(const Counting& c) {
  Payload p = payload();
  p.u64(c.late_overflows).u32(c.uncounted_threads).text(c.problem);
  return chunk(9, p);
}

RawFileBuilder& RawFileBuilder::allowed_cpus(const std::vector<CpuRange>& cpus) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(cpus.size()));
  for (const CpuRange& range : cpus) p.u32(range.first).u32(range.last);
  return chunk(10, p);
}

RawFileBuilder& RawFileBuilder::run(std::string_view stamp) {
  Payload p = payload();
  p.text(stamp);
  return chunk(11, p);
}

RawFileBuilder& RawFileBuilder::spawned(uint64_t processes) {
  Payload p = payload();
  p.u64(processes);
  return chunk(12, p);
}

RawFileBuilder& RawFileBuilder::waits(raw::Phase phase, const Waits& waits) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(phase)).u64(waits.for_core_ns).u64(waits.children_cpu_ns);
  return chunk(13, p);
}

RawFileBuilder& RawFileBuilder::overflows(const std::vector<EventOverflows>& events) {
  Payload p = payload();
  p.u32(static_cast<uint32_t>(events.size()));
  for (const EventOverflows& e : events) p.u64(e.period).u64(e.counted);
  return chunk(14, p);
}

RawFileBuilder& RawFileBuilder::footer(uint64_t samples, uint64_t lost_samples) {
  Payload p = payload();
  p.u64(samples).u64(lost_samples).u32(n_chunks_).u32(crc_);
  return chunk(255, p);
}

RawFileBuilder& RawFileBuilder::chunk(uint32_t kind, const Payload& payload) {
  raw::ChunkHeader h{};
  h.kind = ordered(kind);
  h.payload_bytes = ordered(static_cast<uint32_t>(payload.bytes().size()));
  h.rank = ordered(rank_);
  h.crc32 = ordered(raw::chunk_crc(h, payload.bytes().data(), payload.bytes().size()));
  chunks_.append(reinterpret_cast<const char*>(&h), sizeof h);
  chunks_ += payload.bytes();
  chunks_.resize((chunks_.size() + 7) / 8 * 8, '\0');  // the prelude's 64 bytes keep this aligned
  crc_ = raw::crc32(&h.crc32, sizeof h.crc32, crc_);
  ++n_chunks_;
  return *this;
}

RawFileBuilder& RawFileBuilder::garbage(std::string_view bytes) {
  chunks_ += bytes;
  return *this;
}

std::string RawFileBuilder::bytes() const {
  raw::Prelude p{};
  std::memcpy(p.magic, raw::kMagic, sizeof p.magic);
  p.version = ordered(version_);
  p.byte_order = ordered(raw::kByteOrder);
  p.stop_reason = ordered(stop_reason_);
  p.stop_errno = ordered(stop_errno_);
  return std::string(reinterpret_cast<const char*>(&p), sizeof p) + chunks_;
}

RawFileBuilder small_file(uint32_t rank, uint32_t size, ByteOrder order) {
  RankIdentity identity;
  identity.rank = rank;
  identity.size = size;
  identity.pid = 4711;
  identity.host = "node1";
  identity.executable = "/opt/app";
  identity.mpi_library_version = "Open MPI v4.1.4";
  identity.sampler = "perf";
  identity.period_ns = 4000000;
  identity.online_cpus = 2;
  RawFileBuilder b(rank, order);
  b.identity(identity);
  b.clock({raw::Phase::kLoad, 1000, 1000000, 5, 100, 100, 0});
  b.clock({raw::Phase::kInitEnd, 2000, 2000000, 6, 200, 200, 0});
  b.modules(0, {{0x1000, 0x2000, 0x9000, "/opt/app", "ab12"}});
  b.samples({{{0, raw::kOutsideMpi, 0, 0x2010}, {3, 12000000, 0, {}}}, {{0, 4, 0, 0}, {2, 8000000, 0, {}}}});
  b.callers({{6, 1, 0, 0x1010}, {7, 6, 0, 0x1020}});
  b.path_samples({{{0, raw::kOutsideMpi, 0, 0x2010, 7}, {1, 4000000, 0, {}}}});
  b.operation_names({{4, "MPI_Send"}});
  b.call_sites({{1, 0, {0x1010, 0x1020}}});
  b.operations({{{raw::operation_at(4, 1), 0, 2, 4}, {10, 80, 500, 40, 60}}});
  b.peers({{{1, raw::kSent}, {10, 80}}, {{2, raw::kSent}, {1, 8}}});
  b.losses({0, 0, 0, 0, 1});
  b.counting({0, 0, ""});
  b.allowed_cpus({{0, 1}});
  b.run("np0002.r0-0123456789abcdef");
  b.spawned(2);
  b.overflows({});
  b.waits(raw::Phase::kFinalizeBegin, {70, 80});
  b.clock({raw::Phase::kFinalizeBegin, 9000, 9000000, 7, 300, 300, 1});
  b.clock({raw::Phase::kExit, 9900, 9900000, 8, 400, 400, 2});
  b.footer(6);
  return b;
}

}  // namespace scalediag::merge
