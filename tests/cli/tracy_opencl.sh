# SPDX-License-Identifier: Apache-2.0
# Kernels of an OpenCL queue as zones of TracyOpenCL.hpp, with PoCL: on a track of their own, at the host's times.
. "$SOURCE/tests/lib.sh"
[ -z "${SANITIZE-}" ] || skip "programs without the sanitizer cannot load sanitized libraries"
cat >cl.cpp <<'EOF'
#define CL_TARGET_OPENCL_VERSION 300
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <tracy/Tracy.hpp>
#include <tracy/TracyOpenCL.hpp>
#ifndef TRACY_ENABLE
#include <CL/cl.h>
#endif
static const char *source = "kernel void work(global float *a, int n) {"
			    " size_t i = get_global_id(0); float x = a[i];"
			    " for (int k = 0; k < n; k++) x = x * 1.0001f + 0.5f; a[i] = x; }";
#define OK(e) do { int r_ = (e); if (r_) { fprintf(stderr, "line %d: %d\n", __LINE__, r_); exit(9); } } while (0)
int main()
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int r;
	if (clGetPlatformIDs(1, &platform, nullptr) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr))
		return 77;
	cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &r);
	OK(r);
	cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, wanted, &r);
	OK(r);
	cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &r);
	OK(r);
	OK(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
	cl_kernel kernel = clCreateKernel(program, "work", &r);
	OK(r);
	cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096 * 4, nullptr, &r);
	OK(r);
	TracyCLCtx ctx = TracyCLContext(context, device);
	TracyCLContextName(ctx, "PoCL", 4);
	(void)ctx;
	for (int i = 0; i < 20; i++) {
		int n = i % 2 ? 1000 : 10;
		size_t size = 4096;
		cl_event event;
		ZoneScopedN("around");
		OK(clSetKernelArg(kernel, 0, sizeof(memory), &memory));
		OK(clSetKernelArg(kernel, 1, sizeof(n), &n));
		{
			TracyCLZoneC(ctx, "work", 0xff0000);
			OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, &event));
			TracyCLZoneSetEvent(event);
		}
		{
			TracyCLNamedZone(ctx, unused, "without an event", true);
		}
		OK(clFinish(queue));
		OK(clReleaseEvent(event));
		TracyCLCollect(ctx);
	}
	{
		float first;
		cl_event event;
		ZoneScopedN("copy around");
		{
			TracyCLZoneTransient(ctx, zone, "copy back", true);
			OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &first, 0, nullptr, &event));
			TracyCLNamedZoneSetEvent(zone, event);
		}
		OK(clReleaseEvent(event));
		TracyCLCollect(ctx);
	}
	TracyCLDestroy(ctx);
	return 0;
}
EOF
build="c++ -std=c++17 -Wall -Wextra -Werror -I$SOURCE/include/tracy -I$SOURCE/include cl.cpp -lOpenCL"
echo '#include <CL/cl.h>' | c++ -E -x c++ - >/dev/null 2>&1 || skip "no OpenCL headers"
expect_exit 0 $build -o off
expect_exit 0 $build -DTRACY_ENABLE -o on -L"$BUILD" -ltacho -Wl,-rpath,"$BUILD"
export POCL_CACHE_DIR=$PWD/cache
./off
case $? in
0) ;;
77) skip "no OpenCL device" ;;
*) fail "without Tracy it fails" ;;
esac
expect_exit 0 "$TACHO" run -q -f -o t.tacho -- ./on
expect_exit 0 "$TACHO" check t.tacho
"$TACHO" zones --format=csv t.tacho >zones || fail zones
python3 - <<'PY' || fail "zones differ from what was run: $(head -5 zones)"
import csv
rows = list(csv.DictReader(open("zones")))
def spans(name):
    return [(int(r["start_ns"]), int(r["start_ns"]) + int(r["duration_ns"])) for r in rows if r["name"] == name]
around, work = spans("around"), spans("work")
assert len(around) == len(work) == 20, (len(around), len(work))
assert {r["thread"] for r in rows if r["name"] in ("work", "copy back")} == {"PoCL/0"}, rows[0]
# Calibrated: a kernel runs while the host waits for it. 0.2 ms: on a busy machine the clocks are not read at the same moment.
for (a, b), (c, d) in zip(around, work):
    assert a - 200000 <= c < d <= b + 200000, (a, b, c, d)
(a, b), (c, d) = spans("copy around")[0], spans("copy back")[0]
assert a - 200000 <= c <= d <= b + 200000, (a, b, c, d)
long, short = sum(d - c for c, d in work[1::2]), sum(d - c for c, d in work[::2])
assert long > 5 * short, (long, short)
assert not spans("without an event")
PY
expect_exit 0 "$TACHO" export -q --to=tracy t.tacho
expect_exit 0 "$TACHO" zones --format=csv t.tracy
[ "$(grep -c PoCL/0 out)" = 21 ] || fail "other zones in the .tracy file"
