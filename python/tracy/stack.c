/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames on a thread's stack when recording starts: their zones begin then, so that their calls
 * appear inside them.
 */
#include "_tracy.h"

#define FRAMES 512 /* innermost ones; a deeper stack loses its outer end */

/*
 * Fills FRAMES with the program's frames, innermost first, and returns how many. The package's own
 * frames lie on both sides of them: it called the program, and the program called it to start.
 */
static int program_frames(PyFrameObject *frame, PyFrameObject **frames)
{
	PyFrameObject *back = NULL;
	int count = 0;

	for (; frame && count < FRAMES; frame = back) {
		PyCodeObject *code = PyFrame_GetCode(frame);
		int ours = code_is_ours(code);

		Py_DECREF(code);
		back = PyFrame_GetBack(frame);
		if (!ours)
			frames[count++] = frame;
		else
			Py_DECREF(frame);
		if (ours && count)
			break;
	}
	Py_XDECREF(back);
	return count;
}

static void frame_begin(PyFrameObject *frame, const void *(*owner)(PyFrameObject *))
{
	PyCodeObject *code = PyFrame_GetCode(frame);

	track_begin(code_word(code), owner ? owner(frame) : code, 0);
	Py_DECREF(code);
}

void stack_begin(int innermost_begins, const void *(*owner)(PyFrameObject *))
{
	PyObject *type, *value, *traceback;
	PyFrameObject *frames[FRAMES];
	int count;

	if (!settings.stack)
		return;
	PyErr_Fetch(&type, &value, &traceback);
	count = program_frames(PyThreadState_GetFrame(PyThreadState_Get()), frames);
	while (count-- > 0) {
		if (count || !innermost_begins)
			frame_begin(frames[count], owner);
		Py_DECREF(frames[count]);
	}
	PyErr_Restore(type, value, traceback);
	if (track_count())
		track.outside = track.own;
}
