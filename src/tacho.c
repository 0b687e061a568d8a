#include "cmds/cmds.h"

int main(int argc, char **argv)
{
	return cmds_main(argc, argv);
}
