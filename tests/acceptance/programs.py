"""Real programs, as Debian ships them, with small inputs written here."""

import gzip
import os
import shutil
import subprocess
import sys

LJ = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {long} 0 {n} 0 {n}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 50
run {steps}
"""

# Field after field as the HPCC manual lists them: one HPL problem on a 1 x 2 grid, no further PTRANS sizes.
HPCC = """HPLinpack benchmark input file
scalediag acceptance test
HPL.out
8
1
{n}
1
80
0
1
1
2
16.0
1
2
1
4
1
2
1
1
1
1
1
0
2
64
0
0
1
8
#
0
1200
0
40
"""

SILICON = """&control
  calculation='scf', prefix='si', pseudo_dir='.', outdir='./out', verbosity='low'
/
&system
  ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc={cutoff}
/
&electrons
  conv_thr=1.0d-9
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 {k} {k} {k} 1 1 1
"""

WATER = """start water
geometry units angstroms
 O 0.0 0.0 0.1178
 H 0.0 0.7555 -0.4712
 H 0.0 -0.7555 -0.4712
end
basis
 * library 6-311++G(2d,2p)
end
task scf energy
task mp2 gradient
"""


# A lid-driven cavity. Every solve has a fixed number of iterations: the number that would be needed depends on the
# division into subdomains, and so would the work.
CAVITY = {
    "system/controlDict": """application icoFoam; startFrom startTime; startTime 0; stopAt endTime;
endTime {end}; deltaT 0.0005; writeControl timeStep; writeInterval 100000; writeFormat ascii; writePrecision 6;
writeCompression off; timeFormat general; timePrecision 6; runTimeModifiable false;
""",
    "system/fvSchemes": """ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
""",
    "system/fvSolution": """solvers
{
  p { solver PCG; preconditioner DIC; tolerance 0; relTol 0; minIter 40; maxIter 40; }
  pFinal { $p; }
  U { solver smoothSolver; smoother symGaussSeidel; tolerance 0; relTol 0; nSweeps 1; minIter 3; maxIter 3; }
}
PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
""",
    "system/blockMeshDict": """scale 0.1;
vertices ((0 0 0) ({length} 0 0) ({length} 1 0) (0 1 0) (0 0 1) ({length} 0 1) ({length} 1 1) (0 1 1));
blocks (hex (0 1 2 3 4 5 6 7) ({long} {cells} {cells}) simpleGrading (1 1 1));
edges ();
boundary
(
  lid { type wall; faces ((3 7 6 2)); }
  walls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0) (0 3 2 1) (4 5 6 7)); }
);
mergePatchPairs ();
""",
    "constant/transportProperties": "nu [0 2 -1 0 0 0 0] 0.01;\n",
    "0/p": """dimensions [0 2 -2 0 0 0 0];
internalField uniform 0;
boundaryField { lid { type zeroGradient; } walls { type zeroGradient; } }
""",
    "0/U": """dimensions [0 1 -1 0 0 0 0];
internalField uniform (0 0 0);
boundaryField { lid { type fixedValue; value uniform (1 0 0); } walls { type noSlip; } }
""",
}

FOAM_HEADER = "FoamFile {{ version 2.0; format ascii; class {kind}; object {name}; }}\n"


def _write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def lammps(folder, size=20, steps=400, length=1):
    path = _write(folder, "in.lj", LJ.format(n=size, long=size * length, steps=steps))
    return [shutil.which("lmp") or "lmp", "-in", path, "-log", "none"]


def hpcc(folder, size=1500):
    _write(folder, "hpccinf.txt", HPCC.format(n=size))
    return [shutil.which("hpcc") or "hpcc"]


def espresso(folder, k=8, cutoff=30):
    packed = "/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz"
    plain = "/usr/share/espresso/pseudo/Si.pz-vbc.UPF"
    to = os.path.join(folder, "Si.pz-vbc.UPF")
    if os.path.exists(plain):
        shutil.copyfile(plain, to)
    else:
        with gzip.open(packed) as source, open(to, "wb") as target:
            shutil.copyfileobj(source, target)
    path = _write(folder, "si.in", SILICON.format(k=k, cutoff=cutoff))
    # By default it would use as many ranks for its small eigenproblems as there are, and stops when that is too many.
    return [shutil.which("pw.x") or "pw.x", "-ndiag", "1", "-in", path]


def nwchem(folder):
    path = _write(folder, "water.nw", WATER)
    return [shutil.which("nwchem.openmpi") or "nwchem.openmpi", path]


def _compact_grid(processes):
    grids = [(a, b, processes // a // b) for a in range(1, processes + 1) if processes % a == 0
             for b in range(1, processes // a + 1) if processes // a % b == 0]
    return min(grids, key=lambda g: (max(g), sum(g), [-n for n in g]))


def openfoam(folder, cells=64, steps=10, length=1, processes=(2, 4, 8, 16, 32, 64)):
    """A cavity of `length` cubes of cells^3 in a row, divided beforehand, once for each number of processes."""
    os.environ.setdefault("WM_PROJECT_DIR", "/usr/share/openfoam")  # the folder of its own settings
    case = os.path.join(folder, "cavity")
    for name, text in CAVITY.items():
        kind = {"p": "volScalarField", "U": "volVectorField"}.get(os.path.basename(name), "dictionary")
        os.makedirs(os.path.join(case, os.path.dirname(name)), exist_ok=True)
        body = text
        for key, value in dict(cells=cells, long=cells * length, length=length, end=steps * 0.0005).items():
            body = body.replace("{%s}" % key, str(value))
        _write(case, name, FOAM_HEADER.format(kind=kind, name=os.path.basename(name)) + body)
    subprocess.run(["blockMesh", "-case", case], check=True, capture_output=True)
    for parts in processes:
        divided = case + str(parts)
        if os.path.exists(divided):
            continue
        shutil.copytree(case, divided)
        grid = " ".join(map(str, _compact_grid(parts)))
        _write(divided, "system/decomposeParDict", FOAM_HEADER.format(kind="dictionary", name="decomposeParDict") +
               f"numberOfSubdomains {parts}; method simple; simpleCoeffs {{ n ({grid}); delta 0.001; }}\n")
        subprocess.run(["decomposePar", "-case", divided], check=True, capture_output=True)
    return [shutil.which("icoFoam") or "icoFoam", "-parallel", "-case", case + "{np}"]


PROGRAMS = {
    "lammps": (lammps, ["lammps"]),
    "hpcc": (hpcc, ["hpcc"]),
    "espresso": (espresso, ["quantum-espresso", "quantum-espresso-data"]),
    "openfoam": (openfoam, ["openfoam"]),
    "nwchem": (nwchem, ["nwchem-openmpi"]),
}


def install(*names):
    """Installs the Debian packages of the named programs where they are missing; needs root."""
    packages = [p for n in names for p in PROGRAMS[n][1]]
    missing = [p for p in packages
               if subprocess.run(["dpkg", "-s", p], capture_output=True).returncode != 0]
    if missing:
        print("installing", *missing, file=sys.stderr)
        subprocess.run(["apt-get", "update"], check=True, capture_output=True)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *missing], check=True,
                       capture_output=True, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
