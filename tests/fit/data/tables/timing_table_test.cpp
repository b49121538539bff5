#include "fit/data/tables/timing_table.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "fit/data/measurement_file.h"
#include "fit/data/tables/cell_text.h"
#include "tests/core/text_mutation.h"

namespace scalediag::fit {
namespace {

using Columns = std::vector<std::string>;

core::Result<TimingTable> table_of(const std::string& text, const Columns& columns = {}) {
  return read_timing_table(text, "t.csv", columns);
}

std::string problem_of(const std::string& text, const Columns& columns = {}) {
  const auto table = table_of(text, columns);
  return table.ok() ? "" : table.error().message + " / " + table.error().hint;
}

// "np=4:10 12;np=8:5" of the series of a kernel.
std::string series_text(const TimingTable& table, const std::string& kernel) {
  std::string text;
  for (const Series& series : table.set.series) {
    if (series.kernel != kernel) continue;
    for (const Observation& o : series.observations) {
      text += text.empty() ? "" : "; ";
      for (size_t i = 0; i < o.at.size(); ++i) {
        char number[40];
        std::snprintf(number, sizeof number, "%s=%g ", series.parameter_names[i].c_str(), o.at[i]);
        text += number;
      }
      text += ":";
      for (const double value : o.values) {
        char number[40];
        std::snprintf(number, sizeof number, " %g", value);
        text += number;
      }
    }
  }
  return text;
}

constexpr char kPlain[] = "np,time (ms)\n4,1000\n8,500\n8,520\n";

TEST(TimingTable, RowsOfOneConfigurationAreRepeatsAndTimesBecomeSeconds) {
  const auto table = table_of(kPlain);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=4 : 1; np=8 : 0.5 0.52");
  EXPECT_EQ(table.value().whole_program, kProgram);
  EXPECT_TRUE(table.value().in_seconds);
  EXPECT_EQ(table.value().layout, "columns between ',': 3 rows, 2 configurations");
}

// "min" is the least beside "max", and minutes alone.
TEST(TimingTable, TheLeastIsNoMinutes) {
  const auto minutes = table_of("np,time (min)\n2,1\n4,0.5\n");
  ASSERT_TRUE(minutes.ok()) << minutes.error().message;
  EXPECT_EQ(series_text(minutes.value(), kProgram), "np=2 : 60; np=4 : 30");
  const auto least = table_of("np,time (min),time (max),time (s)\n2,9,11,10\n4,4,6,5\n");
  ASSERT_TRUE(least.ok()) << least.error().message;
  EXPECT_EQ(series_text(least.value(), kProgram), "np=2 : 10; np=4 : 5");
}

// 10 s over an efficiency and the number of processes: 10 / (1 x 2) and 10 / (0.5 x 4).
TEST(TimingTable, APercentageInTheNameOfADenominatorCounts) {
  const auto table = table_of("np,efficiency (%)\n2,100\n4,50\n", {"time=10s/efficiency (%)/np"});
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=2 : 5; np=4 : 5");
}

// "2048 128" is no number, "12 800" is 12800.
TEST(TimingTable, GroupsOfThousandsBeginWithAtMostThreeDigits) {
  EXPECT_EQ(cell_number("2048 128", DecimalMark::kPoint).kind, CellKind::kText);
  EXPECT_EQ(cell_number("12 800", DecimalMark::kPoint).value, 12800);
  EXPECT_EQ(cell_number("1 234 567", DecimalMark::kPoint).value, 1234567);
}

TEST(TimingTable, NamesOfProcessesAreGuessed) {
  const std::pair<const char*, const char*> names[] = {{"MPI ranks", "np"},
                                                       {"nprocs", "np"},
                                                       {"Number of processes", "np"},
                                                       {"P", "np"},
                                                       {"ntasks", "np"},
                                                       {"#cores", "cores"},
                                                       {"Core count", "cores"},
                                                       {"NumNodes", "nodes"},
                                                       {"GPUs", "gpus"},
                                                       {"OMP_NUM_THREADS", "threads"}};
  for (const auto& [column, parameter] : names) {
    const auto table = table_of(std::string(column) + ",time_s\n1,2\n2,1\n");
    ASSERT_TRUE(table.ok()) << column << ": " << table.error().message;
    EXPECT_EQ(table.value().set.parameter_names, Columns{parameter}) << column;
  }
}

TEST(TimingTable, TextsAreNoNumberOfProcesses) {
  const std::string text = "MPI,ranks,time (s)\nIntel,2,4\nIntel,4,2\n";
  const auto table = table_of(text);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=2 : 4; np=4 : 2");
  EXPECT_EQ(problem_of(text + "Open,4,3\nOpen,2,5\n").substr(0, 76),
            "t.csv: rows differ in 'MPI' (Intel, Open), which is no parameter / --columns");
}

TEST(TimingTable, NamesOfTimesAndTheirUnitsAreGuessed) {
  const std::pair<const char*, double> names[] = {{"time (s)", 3},
                                                  {"walltime[ms]", 0.003},
                                                  {"seconds", 3},
                                                  {"Elapsed time in minutes", 180},
                                                  {"ExecutionTime(us)", 3e-6},
                                                  {"wall_clock_h", 10800},
                                                  {"total time (sec)", 3},
                                                  {"time per step (ms)", 0.003}};
  for (const auto& [column, seconds] : names) {
    const auto table = table_of("np;" + std::string(column) + "\n1;3\n2;1\n");
    ASSERT_TRUE(table.ok()) << column << ": " << table.error().message;
    EXPECT_TRUE(table.value().in_seconds) << column;
    ASSERT_EQ(table.value().set.series.front().kernel, kProgram) << column;
    EXPECT_DOUBLE_EQ(table.value().set.series.front().observations.front().values.front(), seconds) << column;
  }
}

// Columns of one number of processes and one time in seconds, as they are pasted from German, French and Spanish texts.
TEST(TimingTable, NamesInOtherLanguagesAreGuessed) {
  const std::tuple<const char*, const char*, const char*> names[] = {
      {"Prozesse", "np", "Wandzeit (s)"},
      {"Anzahl der Prozesse", "np", "Laufzeit [Sekunden]"},
      {"Kerne", "cores", "Gesamtlaufzeit in s"},
      {"MPI-Ränge", "np", "Mittlere Ausführungszeit (s)"},
      {"Knoten", "nodes", "Zeit pro Schritt (s)"},
      {"processus", "np", "Temps (s)"},
      {"Nombre de cœurs", "cores", "Temps d'exécution (s)"},
      {"Nb coeurs", "cores", "Temps d\u2019exécution total (secondes)"},
      {"Nœuds", "nodes", "Durée (s)"},
      {"Procesos", "np", "Tiempo (s)"},
      {"Número de núcleos", "cores", "Tiempo de ejecución (segundos)"},
      {"NODOS", "nodes", "Tiempo total (s)"},
      {"Nombre de c\x9Curs", "cores",
       "Temps d\x92"
       "ex\xE9"
       "cution (s)"},  // code page 1252
      {"MPI-R\xC3\xA4nge", "np", "ausf\xFChrungszeit (s)"}};
  for (const auto& [processes, parameter, time] : names) {
    const auto table = table_of(std::string(processes) + ";" + time + "\n1;3\n2;1\n");
    ASSERT_TRUE(table.ok()) << time << ": " << table.error().message;
    EXPECT_EQ(series_text(table.value(), kProgram), std::string(parameter) + "=1 : 3; " + parameter + "=2 : 1") << time;
    EXPECT_TRUE(table.value().in_seconds) << time;
  }
  const auto others = table_of("Kerne;Zeit (s);Zeit Löser (s);Beschleunigung;Effizienz\n1;3;2;1;1\n2;1;0.5;3;1.5\n");
  ASSERT_TRUE(others.ok()) << others.error().message;
  EXPECT_EQ(series_text(others.value(), "löser"), "cores=1 : 2; cores=2 : 0.5");
  EXPECT_EQ(others.value().set.series.size(), 2U);
  // "par" is French for "per" between two words only.
  const auto parallel = table_of("np,t_seq,t_par\n1,3,2\n2,3,1\n");
  ASSERT_TRUE(parallel.ok()) << parallel.error().message;
  EXPECT_EQ(series_text(parallel.value(), "par"), "np=1 : 2; np=2 : 1");
  // Cores of a node are no number of processes, in no language.
  EXPECT_EQ(problem_of("Kerne pro Knoten;Zeit (s)\n1;3\n2;1\n").substr(0, 53),
            "t.csv: no column is the number of processes by its na");
  // Steps a second rise as the program gets faster.
  EXPECT_NE(problem_of("np;Schritte pro Sekunde\n1;3\n2;1\n").find("'time=1/Schritte pro Sekunde'"), std::string::npos);
}

// "Czas" is Polish and may as well be a kernel.
TEST(TimingTable, ATimeThatOnlyItsUnitShowsIsAskedForWhereItIsTheOnlyOne) {
  EXPECT_EQ(problem_of("np,Czas (s)\n1,3\n2,1\n"),
            "t.csv: 'Czas (s)' is the only time, and its name does not say that it is the whole program's / --columns "
            "'time=Czas (s)' takes it as that");
  const auto said = table_of("np,Czas (s)\n1,3\n2,1\n", {"time=Czas (s)"});
  ASSERT_TRUE(said.ok()) << said.error().message;
  EXPECT_EQ(series_text(said.value(), kProgram), "np=1 : 3; np=2 : 1");
  const auto kernels = table_of("np,solve (s),io (s)\n1,3,1\n2,1,1\n");
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  EXPECT_EQ(series_text(kernels.value(), "solve"), "np=1 : 3; np=2 : 1");
}

TEST(TimingTable, MarksInNamesOfCsvStay) {
  EXPECT_EQ(csv_cell(" Grid::~Grid "), "Grid::~Grid");
  EXPECT_EQ(csv_cell("a**b $x"), "a**b $x");
  EXPECT_EQ(csv_cell("**12.5**"), "12.5");
  EXPECT_EQ(csv_cell("~1,5"), "1,5");
  EXPECT_EQ(csv_cell("temps\xC2\xA0(s)"), "temps (s)");
}

TEST(TimingTable, TimesWithoutUnitStandAsTheyAre) {
  const auto table = table_of("np time\n4 1000\n8 500\n");
  ASSERT_TRUE(table.ok());
  EXPECT_FALSE(table.value().in_seconds);
  EXPECT_EQ(table.value().set.series.front().metric, "time");
  EXPECT_EQ(series_text(table.value(), kProgram), "np=4 : 1000; np=8 : 500");
  EXPECT_EQ(table.value().columns.back().taken_as, "the program's time, no unit given");
  const auto said = table_of("np time\n4 1000\n8 500\n", {"time=time[ms]"});
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(series_text(said.value(), kProgram), "np=4 : 1; np=8 : 0.5");
}

TEST(TimingTable, ExcelsExportIsRead) {
  const auto table = table_of("\xEF\xBB\xBFsep=;\r\nProzesse;Zeit (ms);\r\n4;1.000,5;\r\n8;500,25;\r\n;;\r\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=4 : 1.0005; np=8 : 0.50025");
  EXPECT_NE(problem_of("PK\x03\x04").find("export the sheet as CSV"), std::string::npos);
  EXPECT_EQ(kind_of("PK\x03\x04"), FileKind::kTable);
  EXPECT_NE(problem_of("\xFF\xFEn").find("UTF-16"), std::string::npos);
}

TEST(TimingTable, MarkdownTableIsFoundInItsText) {
  const auto table = table_of(
      "# Scaling\n\nText, with commas.\n\n| Nodes | Ranks | Time (s) | Speedup |\n|---|--:|:-:|---|\n"
      "| 1 | 4 | **100.5** | 1.00\xC3\x97 |\n| 2 | 8 | 52 \xC2\xB1 1 | 1.9x |\n\nMore, text\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=4 : 100.5; np=8 : 52");
  EXPECT_EQ(table.value().columns.front().taken_as, "left out, always 0.25 times np");
}

TEST(TimingTable, OneOfSeveralTablesIsAskedFor) {
  const std::string two = "|np|time (s)|\n|--|--|\n|1|4|\n|2|2|\n\n|np|time (s)|\n|--|--|\n|1|8|\n|2|7|\n";
  EXPECT_EQ(
      problem_of(two),
      "t.csv has 2 tables: 1 in line 1 (|np|time (s)|); 2 in line 6 (|np|time (s)|) / --columns table=N reads that "
      "one");
  const auto second = table_of(two, {"table=2"});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(series_text(second.value(), kProgram), "np=1 : 8; np=2 : 7");
  EXPECT_NE(problem_of(two, {"table=3"}).find("none has the number 3"), std::string::npos);
}

constexpr char kTwoTables[] =
    "| Option | Default |\n|---|---|\n| -n | 100 |\n\n| ranks | time (s) |\n|---|---|\n| 2 | 4 |\n| 4 | 2 |\n";

TEST(TimingTable, TheOnlyTableWithProcessesAndTimesIsTaken) {
  const auto table = table_of(kTwoTables);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=2 : 4; np=4 : 2");
  EXPECT_EQ(table.value().layout, "the one Markdown table of 2 with processes and times: 2 rows, 2 configurations");
  EXPECT_EQ(problem_of(kTwoTables, {"table=1"}),
            "t.csv: no column is the number of processes by its name (Option, Default) / name it, for example "
            "--columns np=Default");
  // The line of a row counts from the text's beginning.
  EXPECT_EQ(problem_of(kTwoTables + std::string("| 8 | one |\n")),
            "t.csv:9: 'one' of column 'time (s)' is no time / leave the cell empty where nothing was measured");
}

TEST(TimingTable, ColumnsOfSeveralNumbersOfProcessesBecomeRows) {
  const std::string spread =
      "| impl | np=1 | np=2 | np=4 | speedup |\n|---|---|---|---|---|\n"
      "| row | 8s | 4s | 2s | 4.0x |\n| block | 8.1s | - | 1500ms | 5.4x |\n";
  const auto kernels = table_of(spread, {"kernel=impl"});
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  EXPECT_EQ(series_text(kernels.value(), "row"), "np=1 : 8; np=2 : 4; np=4 : 2");
  EXPECT_EQ(series_text(kernels.value(), "block"), "np=1 : 8.1; np=4 : 1.5");
  const auto rows = table_of("size,1 rank,2 ranks\n10,3,2\n20,6,4\n", {"time=value[s]"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(series_text(rows.value(), kProgram),
            "np=1 size=10 : 3; np=2 size=10 : 2; np=1 size=20 : 6; np=2 size=20 : 4");
  // Without a unit the cells may be anything.
  EXPECT_EQ(problem_of("size,1 rank,2 ranks\n10,3,2\n20,6,4\n").substr(0, 60),
            "t.csv: no column is a time by its name (size, rank, value) /");
  // A row that is short is short of what is written.
  EXPECT_EQ(problem_of("size,1 rank,2 ranks\n10,3,2\n20,6\n").substr(0, 57),
            "t.csv:3: 2 cells where the names in line 1 have 3 / give ");
  // Ranks and threads are two things.
  EXPECT_NE(problem_of("size,2 ranks,4 threads\n10,3,2\n"), "");
}

TEST(TimingTable, LatexTableIsRead) {
  const auto table = table_of(
      "\\begin{tabular}{l|rr}\n\\hline\n Cores & \\textbf{Time (s)} & Efficiency (\\%) \\\\ \\hline\n"
      "% a comment\n 16 & 1{,}000.5 & 100 \\\\\n 32 & $512.3 \\pm 2$ & 98 \\\\ \\cline{1-2}\n\\bottomrule\n"
      "\\end{tabular}\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "cores=16 : 1000.5; cores=32 : 512.3");
}

TEST(TimingTable, NamesMayStandInACommentAbove) {
  const auto table = table_of("# made by run.sh\n# np seconds\n1 100\n2 51\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=1 : 100; np=2 : 51");
  EXPECT_NE(problem_of("1 100\n2 51\n").find("put a line with names above"), std::string::npos);
}

TEST(TimingTable, KernelsAreRowsOrColumns) {
  const auto rows = table_of("region,np,time_s\nsolve,1,8\nsolve,2,4\nmain -> io,1,2\ntotal,1,10\ntotal,2,6\n");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(series_text(rows.value(), "solve"), "np=1 : 8; np=2 : 4");
  EXPECT_EQ(series_text(rows.value(), "main->io"), "np=1 : 2");
  EXPECT_EQ(rows.value().whole_program, "total");

  const auto columns = table_of("np\ttime_solve_ms\tio time (s)\ttotal (s)\n1\t8000\t2\t10\n2\t4000\t2\t6\n");
  ASSERT_TRUE(columns.ok()) << columns.error().message;
  EXPECT_EQ(series_text(columns.value(), "solve"), "np=1 : 8; np=2 : 4");
  EXPECT_EQ(series_text(columns.value(), "io"), "np=1 : 2; np=2 : 2");
  EXPECT_EQ(series_text(columns.value(), kProgram), "np=1 : 10; np=2 : 6");
}

TEST(TimingTable, UnknownColumnsAreKernelsOnlyWhereTheyAddUp) {
  const auto parts = table_of("np,total,solve,io\n1,10,8,2\n2,6,4,2\n");
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts.value().set.series.size(), 3U);
  // 8 + 3 is not 10.
  const auto others = table_of("np,total,solve,power\n1,10,8,3\n2,6,4,3\n");
  ASSERT_TRUE(others.ok());
  EXPECT_EQ(others.value().set.series.size(), 1U);
  EXPECT_EQ(others.value().columns[2].taken_as, "left out");
}

TEST(TimingTable, SpeedUpsAloneAreAskedAbout) {
  const std::string text = "np,speedup\n1,1\n2,1.6\n";
  EXPECT_EQ(
      problem_of(text),
      "t.csv: it has speed-ups and no time, which is then known up to a factor / --columns time=1/speedup for times "
      "relative to the base, or the base's own: --columns time=12.5s/speedup");
  // 8 s / 1.6 = 5 s
  const auto known = table_of(text, {"time=8s/speedup"});
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(series_text(known.value(), kProgram), "np=1 : 8; np=2 : 5");
  EXPECT_TRUE(known.value().in_seconds);
  const auto relative = table_of(text, {"time=1/speedup"});
  ASSERT_TRUE(relative.ok());
  EXPECT_FALSE(relative.value().in_seconds);
  // An efficiency of 80 % on 4 processes is a speed-up of 3.2: 8 s / 3.2 = 2.5 s.
  const auto efficiency = table_of("np,efficiency\n1,100%\n4,80%\n", {"time=8s/efficiency/np"});
  ASSERT_TRUE(efficiency.ok()) << efficiency.error().message;
  EXPECT_EQ(series_text(efficiency.value(), kProgram), "np=1 : 8; np=4 : 2.5");
}

TEST(TimingTable, RatesWithASlashInTheirNameAreColumns) {
  // 100 / 20 / 1 = 5, 100 / 25 / 2 = 2
  const auto table = table_of("np,steps/s\n1,20\n2,25\n", {"time=100/steps/s/np"});
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=1 : 5; np=2 : 2");
  EXPECT_NE(problem_of("np,steps/s\n1,20\n2,25\n", {"time=100/steps/np"}).find("names no column"), std::string::npos);
}

TEST(TimingTable, AmbiguityIsAskedForWithTheOption) {
  EXPECT_NE(problem_of("ranks,threads,time\n1,1,9\n1,2,6\n2,1,5\n").find("'ranks' and 'threads' both may be"),
            std::string::npos);
  EXPECT_NE(problem_of("ranks,threads,time\n1,1,9\n1,2,6\n2,1,5\n").find("--columns np=ranks,threads=threads"),
            std::string::npos);
  EXPECT_NE(problem_of("np,time,machine\n1,9,a\n1,6,b\n2,5,a\n").find("--columns machine==a"), std::string::npos);
  EXPECT_NE(problem_of("np,time,nx\n1,9,64\n1,70,128\n2,5,64\n").find("--columns np=np,nx=nx"), std::string::npos);
  EXPECT_NE(problem_of("np,time,cpu time\n1,9,8\n2,5,4\n", {"time=time,time=cputime"}).find("names no column"),
            std::string::npos);
  EXPECT_NE(problem_of("np,wall (s),elapsed (s)\n1,9,8\n2,5,4\n").find("--columns 'time=wall (s)'"), std::string::npos);
  EXPECT_NE(problem_of("np,time,io (ms)\n1,9,8\n2,5,4\n").find("has a unit and 'time' has none"), std::string::npos);
  EXPECT_NE(problem_of("np,\"t\"\n\"1,024\",5\n").find("may be a thousand or have a decimal comma"), std::string::npos);
  EXPECT_NE(problem_of("N,x\n1,9\n2,5\n").find("no column is the number of processes by its name (N, x)"),
            std::string::npos);
  EXPECT_NE(problem_of("np,GFlops/s\n1,9\n2,5\n").find("--columns time=1/GFlops/s"), std::string::npos);
}

TEST(TimingTable, RequestsChooseRowsAndParameters) {
  const std::string text = "ranks,threads,time (s),machine\n1,1,9,a\n1,2,6,a\n2,1,5,a\n2,1,50,b\n";
  const auto chosen = table_of(text, {"np=ranks,threads==1", "machine==a"});
  ASSERT_TRUE(chosen.ok()) << chosen.error().message;
  EXPECT_EQ(series_text(chosen.value(), kProgram), "np=1 : 9; np=2 : 5");
  const auto both = table_of(text, {"np=ranks,threads=threads,machine==a"});
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(series_text(both.value(), kProgram), "np=1 threads=1 : 9; np=1 threads=2 : 6; np=2 threads=1 : 5");
  EXPECT_NE(problem_of(text, {"np=ranks,threads==7"}).find("no row with the values"), std::string::npos);
}

TEST(TimingTable, ClockTimesAreSeconds) {
  // 1:02:03 = 3723 s; 1-00:00:10 = 86410 s; 2:03.5 = 123.5 s; 0m12.5s = 12.5 s
  const auto table = table_of("np,elapsed\n1,1:02:03\n2,1-00:00:10\n3,2:03.5\n4,0m12.5s\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(series_text(table.value(), kProgram), "np=1 : 3723; np=2 : 86410; np=3 : 123.5; np=4 : 12.5");
  EXPECT_TRUE(table.value().in_seconds);
  // 2m 43s = 163 s; 1h 2m = 3720 s
  const auto units = table_of("np,time\n1,2m 43s\n2,1h 2m\n");
  ASSERT_TRUE(units.ok()) << units.error().message;
  EXPECT_EQ(series_text(units.value(), kProgram), "np=1 : 163; np=2 : 3720");
  EXPECT_NE(problem_of("np,time (s)\n1,5m\n2,1\n").find("'5m' of column 'time (s)' is no time"), std::string::npos);
  // 2:03 may be minutes or hours.
  EXPECT_NE(problem_of("np,elapsed (s)\n1,2:03\n2,1\n").find("t.csv:2: '2:03' of column 'elapsed (s)' is no time"),
            std::string::npos);
}

TEST(TimingTable, ErrorsNameLineAndColumn) {
  EXPECT_NE(problem_of("np,time\n1,9\n2\n").find("t.csv:3: 1 cells where the names in line 1 have 2"),
            std::string::npos);
  EXPECT_NE(problem_of("np,time\n1,9\nx,5\n").find("t.csv:3: 'x' of column 'np' is no number"), std::string::npos);
  EXPECT_NE(problem_of("np,time\n1,9\n2,OOM\n").find("t.csv:3: 'OOM' of column 'time' is no time"), std::string::npos);
  EXPECT_NE(problem_of("np,time\n1.5,9\n2,3\n").find("is no whole number of np"), std::string::npos);
  EXPECT_NE(problem_of("np,time\n").find("no line of values"), std::string::npos);
  EXPECT_NE(problem_of("np,time\n1,\"9\n2,5\n").find("t.csv:2: a row that does not end"), std::string::npos);
  EXPECT_NE(problem_of(std::string(5000, ',') + "\n1,2\n").find("t.csv:1: more than 4096 columns"), std::string::npos);
  EXPECT_NE(problem_of(kPlain, {"np=nb"}).find("names no column"), std::string::npos);
  EXPECT_NE(problem_of(kPlain, {"np"}).find("is no NAME=COLUMN"), std::string::npos);
}

TEST(TimingTable, ManyRowsOfFewConfigurationsAreRepeatsAndTooManyConfigurationsAnError) {
  std::string rows = "np,time (s)\n";
  for (int i = 0; i < 20000; ++i) rows += i % 2 == 0 ? "4,10\n" : "8,5\n";
  const auto table = table_of(rows);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table.value().set.series.front().observations.front().values.size(), 10000U);
  rows = "np,time (s)\n";
  for (int i = 1; i <= 100001; ++i) rows += std::to_string(i) + ",10\n";
  EXPECT_NE(problem_of(rows).find("t.csv:100002: '100001' of column 'np' is one of more than 100000 values"),
            std::string::npos);
}

TEST(TimingTable, CutOffAndDamagedTextIsNeverMisread) {
  const std::string seeds[] = {kPlain, "|np|time (s)|\n|--|--|\n|1|4|\n|2|2|\n",
                               "\\begin{tabular}{ll}\nnp & time (s) \\\\\n1 & 4 \\\\\n2 & 2 \\\\\n\\end{tabular}\n",
                               "np;\"time;a (s)\"\n1;\"2,5\"\n2;\"1,5\"\n", "# np seconds\n1 100\n2 51\n"};
  std::mt19937 random(7);
  for (const std::string& seed : seeds) {
    for (size_t end = 0; end <= seed.size(); ++end) (void)table_of(seed.substr(0, end)).ok();
    for (int i = 0; i < 300; ++i) {
      const std::string damaged = core::mutate_text(seed, random);
      (void)is_timing_table(damaged);
      const auto table = table_of(damaged);
      if (!table.ok()) {
        EXPECT_EQ(table.error().message.find("t.csv"), 0U) << table.error().message;
      }
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
