# SPDX-License-Identifier: Apache-2.0
"""The structs that ttnn/_library.py declares for ctypes are those of _ttnn.c: same fields, same places."""
import ctypes
import os
import subprocess
import unittest

from ttnn import _library

SOURCE = os.environ["SOURCE"]
STRUCTS = {
    "shape": _library.Shape,
    "job": _library.Job,
    "tensor": _library.TensorOf,
    "description": _library.Description,
}


def claims(name, declared):
    """C that compiles if struct NAME has the layout of the ctypes class."""
    fields = [field[0] for field in declared._fields_]
    for field in fields:
        place = getattr(declared, field)
        yield f"offsetof(struct {name}, {field}) == {place.offset}", f"{name}.{field} is elsewhere"
        yield f"sizeof(((struct {name} *)0)->{field}) == {place.size}", f"{name}.{field} has another size"
    yield f"sizeof(struct {name}) == {ctypes.sizeof(declared)}", f"{name} has another size"


def compiler(text):
    return subprocess.run(
        ["cc", "-std=gnu17", "-fsyntax-only", "-x", "c", "-I", os.path.join(SOURCE, "include"), "-"],
        input=text, capture_output=True, text=True, check=False)


def source(structs):
    lines = [f'#include "{SOURCE}/python/ttnn/_ttnn.c"', "#include <stddef.h>"]
    for name, declared in structs.items():
        lines += [f'_Static_assert({condition}, "{why}");' for condition, why in claims(name, declared)]
    return "\n".join(lines)


class Layout(unittest.TestCase):
    def test_same(self):
        result = compiler(source(STRUCTS))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_struct(self):
        declared = {c for c in vars(_library).values()
                    if isinstance(c, type) and issubclass(c, ctypes.Structure) and c is not ctypes.Structure}
        self.assertEqual(declared, set(STRUCTS.values()))

    def test_difference_is_found(self):
        class Wrong(ctypes.Structure):
            _fields_ = [("batch", ctypes.c_uint32), ("columns", ctypes.c_uint32), ("rows", ctypes.c_uint32),
                        ("format", ctypes.c_uint64)]

        errors = compiler(source({"shape": Wrong})).stderr
        for text in ("shape.rows is elsewhere", "shape.format has another size", "shape has another size"):
            self.assertIn(text, errors)


if __name__ == "__main__":
    unittest.main()
