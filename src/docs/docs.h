/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made from the tables of verbs and options at build time: man pages and shell completion.
 * tacho-gendocs is not part of the installed program.
 */
#ifndef DOCS_DOCS_H
#define DOCS_DOCS_H

#include "cmds/cmds.h"

/* The page of the program, and of one verb. */
void man_program(FILE *out);
void man_verb(FILE *out, const struct cmd *cmd);

/* One file for all verbs and for the links that run one. */
void complete_bash(FILE *out);
void complete_zsh(FILE *out);
void complete_fish(FILE *out);

#endif
