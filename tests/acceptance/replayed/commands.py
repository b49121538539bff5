"""Commands of the scripts here."""

import subprocess


def run(*command):
    """What the command prints. Raises RuntimeError with the end of its errors where it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} exited with {result.returncode}: {result.stderr[-2000:]}")
    return result.stdout
