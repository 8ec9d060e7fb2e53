"""Where the tools lie: `import folders` in a test makes them importable."""

import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOOLS / "reader"), str(TOOLS / "maintain"), str(TOOLS.parent / "book")]
