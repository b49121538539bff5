# Spack's recipe; docs/install.md says how it is used and what of it was tried.
import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass  # before Spack 1.0 it is in spack.package


class Scalediag(CMakePackage):
    """Profiles an unmodified MPI program at a few small process counts, models every function and every MPI
    operation, and predicts at what scale it stops scaling, why, and what the run will cost there."""

    # The sources are those that this recipe lies in: packaging/spack/packages/scalediag is four folders down.
    _sources = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))
    homepage = "file://" + _sources
    git = "file://" + _sources

    tags = ["hpc", "performance"]
    test_requires_compiler = True

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("boost@1.74:+math", type="build")
    depends_on("elfutils@0.188:", type=("build", "link"))
    depends_on("hwloc@2.0:", type=("build", "link"))
    depends_on("zstd@1.4:", type=("build", "link"))
    depends_on("libsvm", type=("build", "link"))
    # PAPI is loaded while a program is measured; valgrind counts where there are no hardware counters.
    depends_on("papi@6:", type=("build", "run"))
    depends_on("valgrind", type="run", when="+valgrind")
    # What `scalediag network` measures with is built for this MPI; the library that is preloaded works with any.
    depends_on("mpi", type=("build", "link", "run", "test"))

    variant("valgrind", default=True, description="count by valgrind where there are no hardware counters")

    # Chart.js goes into the pages that reports are.
    resource(
        name="chartjs",
        url="https://registry.npmjs.org/chart.js/-/chart.js-3.9.1.tgz",
        sha256="111e0751796f087a51e94dfed910ccfb1278fd30e584a6e48514dba9ae7e72c6",
        destination="",
        placement="chartjs",
    )

    conflicts("platform=darwin", msg="scalediag preloads a library as Linux does it")
    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("SCALEDIAG_BUILD_TESTS", False),
            self.define("SCALEDIAG_BUILD_BENCH", False),
            self.define("SCALEDIAG_BUILD_SAMPLES", False),
            self.define("SCALEDIAG_TARBALL", False),
            self.define(
                "SCALEDIAG_CHART_LIBRARY",
                join_path(self.stage.source_path, "chartjs", "dist", "chart.min.js"),
            ),
        ]

    @run_after("install")
    def keep_test_sources(self):
        cache_extra_test_sources(self, ["packaging/spack/stand_alone"])

    def test_model(self):
        """data that grow as p are found to grow so"""
        folder = self.test_suite.current_test_cache_dir.join("packaging", "spack", "stand_alone")
        scalediag = which(self.prefix.bin.scalediag)
        out = scalediag("models", join_path(folder, "linear.txt"), output=str.split, error=str.split)
        check_outputs([r"sweep.*p"], out)

    def test_profile(self):
        """an MPI program is measured at 1 and 2 ranks and its function is named"""
        folder = self.test_suite.current_test_cache_dir.join("packaging", "spack", "stand_alone")
        mpicc = which(join_path(self.spec["mpi"].prefix.bin, "mpicc"))
        mpicc("-O1", "-g", join_path(folder, "work.c"), "-o", "work")
        scalediag = which(self.prefix.bin.scalediag)
        scalediag("profile", "-n", "1,2", "--repeat", "2", "--counters", "none", "-o", "data", "--", "./work")
        out = scalediag("show", "data", output=str.split, error=str.split)
        check_outputs([r"measured_work"], out)
