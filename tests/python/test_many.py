# SPDX-License-Identifier: Apache-2.0
"""More functions than Tracy has numbers for."""
from __future__ import annotations

import unittest

from support import Case


class Many(Case):
    def test_functions(self) -> None:
        self.script("""
            source = "".join(f"def f_{i}(): pass\\nf_{i}()\\n" for i in range(40000))
            exec(compile(source, "many.py", "exec"))
        """)
        counts = self.counts()
        self.assertEqual([i for i in range(40000) if counts[f"f_{i}"] != 1], [])

    def test_calls(self) -> None:
        self.script("""
            def f(): pass
            for i in range(1000000): f()
        """)
        self.assertEqual(self.counts()["f"], 1000000)


if __name__ == "__main__":
    unittest.main()
