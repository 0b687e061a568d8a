/* SPDX-License-Identifier: Apache-2.0 */
/* A host of a device: reports three ops by zones and messages, and a fourth from a child. */
#include <sys/wait.h>
#include <tacho/tacho.h>
#include <unistd.h>

static void op_call(const char *name, int id)
{
	TACHO_ZONE("TT_DNN_DEVICE_OP");
	TACHO_ZONE_TEXTF("id:%d", id);
	{
		TACHO_ZONE("CompileProgram");
	}
	TACHO_MESSAGEF("`TT_DNN_DEVICE_OP: \"%s\", 7%d, 0, false, %d ->\n{\"op_code\": \"%s\", "
		       "\"op_hash\": 7%d, \"device_id\": 0, \"global_call_count\": %d, "
		       "\"input_tensors\": [], \"op_type\": \"tt_dnn_device\"}`",
		       name, id, id, name, id, id);
}

int main(void)
{
	tacho_signpost("begin", NULL);
	op_call("MatmulOp", 1024);
	TACHO_MESSAGE("MLIR_OP_LOCATION;loc(\"here\")");
	op_call("AddOp", 2048);
	op_call("SoftmaxOp", 3072);
	if (fork() == 0) {
		op_call("NormOp", 4096);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
