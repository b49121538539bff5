# Spack's recipe; docs/installing-without-root.md says how it is used and what of it was tried.
import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass  # before Spack 1.0 it is in spack.package


class Scalediag(CMakePackage):
    """Profiles an unmodified MPI program at a few small process counts, models every function and every MPI
    operation, and predicts at what scale it stops scaling, why, and what the run will cost there."""

    # The sources are those that this recipe lies in: cmake/packaging/spack/packages/scalediag is five folders down.
    _sources = os.path.abspath(os.path.join(os.path.dirname(__file__), *5 * [".."]))
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
    depends_on("expat", type=("build", "link"))
    depends_on("zlib-api", type=("build", "link"))
    depends_on("otf2", type=("build", "link"))
    depends_on("spdlog@1.10:", type="build")
    depends_on("fmt", type="build")
    depends_on("libsvm", type=("build", "link"))
    # PAPI is loaded while a program is measured; valgrind counts where there are no hardware counters.
    depends_on("papi@6:", type=("build", "run"))
    depends_on("valgrind", type="run", when="+valgrind")
    # The program of `scalediag network` is built for this MPI; the library that is preloaded works with any.
    depends_on("mpi", type=("build", "link", "run", "test"))

    variant("valgrind", default=True, description="count by valgrind where there are no hardware counters")

    # No package of Spack has it.
    variant("chart_library", default="/usr/share/javascript/chart.js/chart.min.js", values=str, multi=False,
            description="chart.min.js of Chart.js 3, which goes into the pages that reports are")

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
                self.spec.variants["chart_library"].value,
            ),
        ]

    @run_after("install")
    def keep_test_sources(self):
        cache_extra_test_sources(self, ["cmake/packaging/spack/stand_alone"])

    def test_model(self):
        """data that grow as p are found to grow so"""
        folder = self.test_suite.current_test_cache_dir.join("cmake", "packaging", "spack", "stand_alone")
        scalediag = which(self.prefix.bin.scalediag)
        out = scalediag("models", join_path(folder, "linear.txt"), output=str.split, error=str.split)
        check_outputs([r"sweep.*p"], out)

    def test_profile(self):
        """an MPI program is measured at 1 and 2 ranks and its function is named"""
        folder = self.test_suite.current_test_cache_dir.join("cmake", "packaging", "spack", "stand_alone")
        mpicc = which(join_path(self.spec["mpi"].prefix.bin, "mpicc"))
        mpicc("-O1", "-g", join_path(folder, "work.c"), "-o", "work")
        scalediag = which(self.prefix.bin.scalediag)
        scalediag("profile", "-n", "1,2", "--repeat", "2", "--counters", "none", "-o", "data", "--", "./work")
        out = scalediag("show", "data", output=str.split, error=str.split)
        check_outputs([r"measured_work"], out)
