# SPDX-License-Identifier: Apache-2.0
"""The package ttnn on the software device, and the whole way to the ops report."""
from __future__ import annotations

import csv
import glob
import os
import shutil
import subprocess
import sys
import unittest

from support import TACHO, Case

HEAD = """
    import math, ttnn
    def grid(rows, columns, step):
        return [[((i * step + j * 5) % 17 - 8) / 8 for j in range(columns)] for i in range(rows)]
    def product(a, b):
        return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
    def close(tensor, want, bound=0.01):
        got = tensor.to_list()
        assert len(got) == len(want) and len(got[0]) == len(want[0]), (tensor, len(want))
        most = max(abs(v) for row in want for v in row) or 1
        for g, w in zip(got, want):
            for x, y in zip(g, w):
                assert abs(x - y) <= bound * most, (x, y)
"""


@unittest.skipUnless(shutil.which("riscv64-unknown-elf-gcc"), "no compiler for kernels")
class Ttnn(Case):
    def program(self, text: str) -> str:
        return self.write("script.py", HEAD + text)

    def run_bare(self, text: str) -> str:
        done = self.python(self.program(text))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_results(self) -> None:
        self.run_bare("""
    with ttnn.open_device(device_id=0, l1_small_size=8192) as device:
        A, B = grid(70, 40, 3), grid(40, 33, 7)
        for dtype in (ttnn.bfloat16, ttnn.float32):
            a = ttnn.from_torch(A, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
            b = ttnn.from_torch(B, dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
            close(a, A); close(b, B)
            r = ttnn.rand((33, 40), device=device, dtype=dtype, layout=ttnn.TILE_LAYOUT, low=-2, high=3, seed=5)
            R = r.to_list()
            assert R == ttnn.rand([33, 40], device, dtype=dtype, low=-2, high=3, seed=5).to_list() != ttnn.rand((33, 40), device).to_list()
            assert -2 <= min(map(min, R)) < -1 and 2 < max(map(max, R)) <= 3
            C = product(A, B)
            c = ttnn.matmul(a, b)
            close(c, C)
            close(a @ b, C)
            close(ttnn.add(c, c), [[2 * v for v in r] for r in C])
            close(c - c, [[0.0] * 33] * 70)
            close(c * 0.5, [[v / 2 for v in r] for r in C])
            close(ttnn.relu(c), [[max(v, 0) for v in r] for r in C])
            close(ttnn.sigmoid(a), [[1 / (1 + math.exp(-v)) for v in r] for r in A], 0.02)
            close(ttnn.exp(a), [[math.exp(v) for v in r] for r in A], 0.02)
            close(ttnn.gelu(a), [[v * (1 + math.erf(v / 2 ** .5)) / 2 for v in r] for r in A], 0.03)
            close(ttnn.transpose(a, -2, -1), [list(r) for r in zip(*A)])
            row = ttnn.from_torch([[float(j) for j in range(33)]], dtype, layout=ttnn.TILE_LAYOUT, device=device)
            column = ttnn.from_torch([[float(i)] for i in range(70)], dtype, layout=ttnn.TILE_LAYOUT, device=device)
            close(ttnn.add(c, row), [[v + j for j, v in enumerate(r)] for r in C])
            close(ttnn.multiply(c, column), [[v * i for v in r] for i, r in enumerate(C)])
            close(ttnn.linear(a, b, bias=row, activation="relu"),
                  [[max(0, v + j) for j, v in enumerate(r)] for r in C])
            S = ttnn.softmax(c).to_list()
            assert all(abs(sum(r) - 1) < 0.02 for r in S)
        batch = ttnn.from_torch([A, [[2 * v for v in r] for r in A]], layout=ttnn.TILE_LAYOUT, device=device)
        many = ttnn.from_torch([B, [[3 * v for v in r] for r in B]], layout=ttnn.TILE_LAYOUT, device=device)
        got = ttnn.matmul(batch, many).to_list()
        want = [C, [[6 * v for v in r] for r in C]]
        assert max(abs(x - y) for g, w in zip(got, want) for r, s in zip(g, w)
                   for x, y in zip(r, s)) < 1
        twice = ttnn.matmul(batch, ttnn.from_torch(B, layout=ttnn.TILE_LAYOUT, device=device))
        assert twice.shape == (2, 70, 33)
        assert ttnn.to_torch(ttnn.ones((3, 3)))[0][0] == 1
        """)

    def test_errors(self) -> None:
        self.run_bare("""
    def fails(kind, text, call, *args, **more):
        try:
            call(*args, **more)
        except kind as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)
    device = ttnn.open_device()
    T = dict(layout=ttnn.TILE_LAYOUT, device=device)
    a = ttnn.from_torch(grid(4, 4, 1), **T)
    long = ttnn.zeros((5, 4), **T)
    fails(RuntimeError, "TT_FATAL: matmul: The width of the first tensor", ttnn.matmul, a, long)
    fails(RuntimeError, "TT_FATAL: add: Invalid broadcasting", ttnn.add, a, long)
    fails(RuntimeError, "on one device", ttnn.add, a, ttnn.zeros((4, 4)))
    fails(RuntimeError, "activation", ttnn.linear, a, a, activation="bogus")
    fails(RuntimeError, "must be tilized", ttnn.matmul, ttnn.to_layout(a, ttnn.ROW_MAJOR_LAYOUT), a)
    fails(RuntimeError, "core_grid with program_config", ttnn.matmul, a, a, core_grid=ttnn.CoreGrid(y=1, x=1),
          program_config=ttnn.MatmulMultiCoreReuseProgramConfig())
    fails(RuntimeError, "per_core_M", ttnn.matmul, *[ttnn.zeros((256, 256), **T)] * 2, program_config=
          ttnn.MatmulMultiCoreReuseProgramConfig(compute_with_storage_grid_size=(1, 1), per_core_M=1, per_core_N=1))
    fails(RuntimeError, "volumes must be equal", ttnn.reshape, a, (3, 4))
    fails(RuntimeError, "dimensions must be the same", ttnn.concat, [a, ttnn.zeros((4, 5), **T)], 0)
    fails(RuntimeError, "must be in TILE layout", ttnn.from_torch, [1.0], ttnn.bfloat8_b, layout=ttnn.ROW_MAJOR_LAYOUT)
    fails(RuntimeError, "Out of Memory", ttnn.zeros, (2048, 4096), layout=ttnn.TILE_LAYOUT, device=device,
          memory_config=ttnn.L1_MEMORY_CONFIG)
    fails(TypeError, "bogus", ttnn.add, a, a, bogus=1)
    fails(TypeError, "incompatible", ttnn.relu, [1.0])
    fails(TypeError, "incompatible", ttnn.add, a, "1")
    fails(IndexError, "too many", lambda: a[0, 0, 0])
    fails(IndexError, "out of range", lambda: a[7])
    fails(TypeError, "integer", lambda: a["x"])
    fails(AttributeError, "ttnn.bogus is not in Tacho's ttnn", lambda: ttnn.bogus)
    fails(ValueError, "of one length", ttnn.from_torch, [[1.0], [1.0, 2.0]])
    assert ttnn.from_torch([]).shape == (0,)
    fails(RuntimeError, "captured", ttnn.end_trace_capture, device, 1)
    entries = device.num_program_cache_entries()
    b = ttnn.add(a, a)
    ttnn.add(b, a)
    ttnn.add(long, long)
    assert device.num_program_cache_entries() == entries + 2
    b.deallocate()
    fails(RuntimeError, "deallocated", ttnn.relu, b)
    ttnn.close_device(device)
    fails(RuntimeError, "closed", ttnn.synchronize_device, device)
    fails(RuntimeError, "deallocated", a.to_list)
    device.close()
        """)

    def test_types(self) -> None:
        self.run_bare("""
    with ttnn.open_device(device_id=0) as device:
        values = [[[float(r * 5 + c) for c in range(5)] for r in range(3)] for _ in range(2)]
        a = ttnn.from_torch(values, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        assert a.shape == (2, 3, 5) == a.shape.to_rank(3) and a.shape.rank == 3 and repr(a.shape) == "Shape([2, 3, 5])"
        assert a.padded_shape == (2, 32, 32) and a.shape[-2:] == [3, 5] and a.shape.to_rank(4) == (1, 2, 3, 5)
        assert a.layout == ttnn.TILE_LAYOUT and a.dtype == ttnn.bfloat16 and a.device() is device
        rows = ttnn.to_layout(a, ttnn.ROW_MAJOR_LAYOUT)
        assert rows.padded_shape == rows.shape == a.shape and rows.to_list() == values == a.to_list()
        assert ttnn.from_torch([1.0]).dtype == ttnn.float32 and ttnn.from_torch([1.0]).layout == ttnn.ROW_MAJOR_LAYOUT
        assert a.memory_config() == ttnn.DRAM_MEMORY_CONFIG == ttnn.MemoryConfig(buffer_type=ttnn.BufferType.DRAM)
        in_l1 = ttnn.to_memory_config(a, ttnn.L1_MEMORY_CONFIG)
        assert in_l1.memory_config() == ttnn.L1_MEMORY_CONFIG != a.memory_config() and in_l1.to_list() == values
        assert ttnn.relu(in_l1).memory_config() == ttnn.L1_MEMORY_CONFIG
        assert ttnn.arange(3, dtype=ttnn.int32).to_list() == [0, 1, 2]
        i = ttnn.from_torch([[3, -4]], ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device)
        assert (i + i).to_list() == [[6, -8]] and (i * 3).to_list() == [[9, -12]] and (i > 0).to_list() == [[1, 0]]
        assert ttnn.typecast(i, ttnn.float32).to_list() == [[3.0, -4.0]]
        assert ttnn.typecast(ttnn.typecast(i, ttnn.bfloat16), ttnn.int32).to_list() == [[3, -4]]
        print(a)
        """)

    def test_report(self) -> None:
        self.tracy("-p", "-r", self.program("""
    from tracy import Profiler, signpost
    device = ttnn.open_mesh_device(ttnn.MeshShape(1, 1))
    a = ttnn.from_torch(grid(64, 64, 3), layout=ttnn.TILE_LAYOUT, device=device)
    ttnn.tracy_message("ready")
    signpost("start", "one step")
    with Profiler():
        c = ttnn.relu(ttnn.matmul(a, a))
        s = ttnn.softmax(c)
    ttnn.synchronize_device(device)
    signpost("stop")
    ttnn.ReadDeviceProfiler(device)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    d = ttnn.add(a, a)
    ttnn.end_trace_capture(device, trace, cq_id=0)
    for _ in range(3): ttnn.execute_trace(device, trace, cq_id=0, blocking=False)
    ttnn.synchronize_device(device)
    close(d, [[2 * v for v in r] for r in grid(64, 64, 3)])
    ttnn.release_trace(device, trace)
    shards = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=1), ttnn.ShardStrategy.HEIGHT)
    ttnn.relu(ttnn.to_memory_config(a, shards))
    for scalar in (2.0, 3.0): ttnn.multiply(a, scalar)
    ttnn.close_mesh_device(device)
        """))
        logs = os.listdir(os.path.join(self.folder, "generated/profiler/.logs"))
        self.assertLessEqual({"tracy_ops_times.csv", "tracy_ops_data.csv", "profile_log_device.csv",
                              "tracy_profile_log_host.tracy", "tracy_profile_log_host.tacho"},
                             set(logs))
        [report] = glob.glob(self.folder + "/generated/profiler/reports/*/ops_perf_results_*.csv")
        with open(report, newline="") as file:
            rows = list(csv.DictReader(file))
        codes = [row["OP CODE"] for row in rows]
        self.assertEqual(codes[:5], ["start", "MatmulDeviceOperation", "UnaryDeviceOperation",
                                     "SoftmaxDeviceOperation", "stop"])
        self.assertEqual(codes[5:9], ["BinaryNgDeviceOperation"] * 4)  # taken down, replayed
        self.assertEqual(codes[9:], ["InterleavedToShardedDeviceOperation", "UnaryDeviceOperation",
                                     "BinaryNgDeviceOperation", "BinaryNgDeviceOperation"])
        # Another scalar is another attribute of the same program.
        self.assertEqual([row["PROGRAM CACHE HIT"] for row in rows[11:]], ["False", "True"])
        self.assertIn("'scalar': '3'", rows[12]["ATTRIBUTES"])
        self.assertIn("L1_HEIGHT_SHARDED", rows[10]["INPUT_0_MEMORY"])
        self.assertEqual([row["CORE COUNT"] for row in rows[9:11]], ["2", "2"])
        for row in (*rows[1:4], *rows[6:]):
            self.assertGreater(int(row["DEVICE KERNEL DURATION [ns]"]), 0)
        self.assertEqual([row["MATH FIDELITY"] for row in rows[1:4]], ["HiFi3", "HiFi4", "HiFi4"])
        self.assertIn("'dim': '-1'", rows[3]["ATTRIBUTES"])
        self.assertIn("BinaryOpType::ADD", rows[6]["ATTRIBUTES"])
        subprocess.run([TACHO, "perf-report", "--ignore-signposts", report], capture_output=True,
                       text=True, check=True)
        names = {z["name"] for z in self.zones()}
        self.assertLessEqual({"matmul", "softmax", "run"}, names)
        # A run without a device leaves no logs that look as if they were its own.
        self.tracy("-c", "pass")
        logs = os.listdir(os.path.join(self.folder, "generated/profiler/.logs"))
        self.assertNotIn("profile_log_device.csv", logs)
        self.assertIn("profile_log_device.csv.old", logs)

    def test_log_of_the_runtime(self) -> None:
        path = self.program("""
    with ttnn.open_device(device_id=0) as device:
        a = ttnn.from_torch(grid(32, 32, 3), layout=ttnn.TILE_LAYOUT, device=device)
        ttnn.relu(a)
""")
        logs = os.path.dirname(self.trace)
        for old in ([], ["cpp_device_perf_report.csv.old",
                         "profile_log_device.csv.old"]):  # the second keeps the first's
            self.tracy("-p", "-r", "--disable-device-data-push-to-tracy", path)
            self.assertIn("1 op, 1 with device data", self.stderr)
            self.assertEqual(sorted(n for n in os.listdir(logs) if n.endswith(".old")), old)
        self.tracy("-p", "-c", "pass")
        self.assertIn("profile_log_device.csv.old", os.listdir(logs))
        self.assertNotIn("profile_log_device.csv", os.listdir(logs))

    def test_no_device_log(self) -> None:
        """No log of the device anywhere; the report has its data from the trace."""
        self.tracy("-p", "-r", "--disable-device-data-dump-to-files", self.program("""
    with ttnn.open_device(device_id=0) as device:
        a = ttnn.from_torch(grid(32, 32, 3), layout=ttnn.TILE_LAYOUT, device=device)
        ttnn.relu(a)
"""))
        self.assertIn("1 op, 1 with device data", self.stderr)
        files = [n for _, _, names in os.walk(self.folder) for n in names]
        self.assertNotIn("profile_log_device.csv", files)
        self.assertNotIn("cpp_device_perf_report.csv", files)
        self.assertIn("tracy_ops_data.csv", files)

    def test_mesh(self) -> None:
        self.tracy("-p", "-r", self.program("""
    with ttnn.open_mesh_device((1, 2)) as mesh:
        assert mesh.get_num_devices() == 2
        a = ttnn.from_torch(grid(32, 32, 3), layout=ttnn.TILE_LAYOUT, device=mesh)
        close(ttnn.add(a, a), [[2 * v for v in r] for r in grid(32, 32, 3)])
        """))
        [report] = glob.glob(self.folder + "/generated/profiler/reports/*/ops_perf_results_*.csv")
        with open(report, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["OP CODE"], r["DEVICE ID"]) for r in rows],
                         [("BinaryNgDeviceOperation", "0"), ("BinaryNgDeviceOperation", "1")])

    def test_several_processes(self) -> None:
        """Each has ops of its own numbers: a report for each, and no op is missing."""
        path = self.write("script.py", """
            import multiprocessing, ttnn
            def work(n):
                with ttnn.open_device(device_id=0) as device:
                    a = ttnn.ones((32, 32), layout=ttnn.TILE_LAYOUT, device=device)
                    for _ in range(n):
                        a = ttnn.relu(a)
            if __name__ == "__main__":
                for n in (2, 5):
                    process = multiprocessing.get_context("spawn").Process(target=work, args=(n,))
                    process.start()
                    process.join()
        """)
        self.tracy("-p", "-r", path)
        home = os.path.join(self.folder, "generated/profiler")
        reports = glob.glob(home + "/reports/*/*/ops_perf_results_*.csv")
        rows = [len(list(csv.DictReader(open(report, encoding="utf-8")))) for report in reports]
        self.assertEqual(sorted(rows), [2, 5])
        logs = glob.glob(home + "/process-*/.logs/tracy_ops_data.csv")
        self.assertEqual(len(logs), 1)
        done = subprocess.run([os.path.join(os.environ["BUILD"], "tt_profile"), "-o", "out/ops.csv",
                               f"{sys.executable} {path}"], cwd=self.folder, capture_output=True,
                              text=True, check=True)
        self.assertNotIn("problem", done.stderr)  # a port that is taken is none
        reports = glob.glob(self.folder + "/out/ops*.csv")
        rows = [[row["DEVICE KERNEL DURATION [ns]"] for row in
                 csv.DictReader(open(report, encoding="utf-8"))] for report in reports]
        self.assertEqual(sorted(map(len, rows)), [2, 5])
        self.assertNotIn("", sum(rows, []))


if __name__ == "__main__":
    unittest.main()
