/* SPDX-License-Identifier: Apache-2.0 */
/* The program tacho. Only this file knows the commit, so that a new commit recompiles nothing else.
 */
#include "cmds/cmds.h"
#include "commit.h" /* made by cmake/commit.cmake */

int main(int argc, char **argv)
{
	return cmds_main(argc, argv, TACHO_COMMIT);
}
