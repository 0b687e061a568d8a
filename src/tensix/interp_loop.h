/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: runs one RISC until its clock reaches LIMIT, or it stops, or it falls asleep. Included
 * by interp.c only.
 *
 * LIMIT is checked where it matters: before an access that others can see, and at the end of each
 * loop iteration. Arithmetic may run past it, since no other RISC can observe it.
 */
static void RUN_NAME(struct tensix_hart *h, const uint64_t limit)
{
	static const void *const labels[RV32_OP_COUNT] = {
#define X(name, ...) [RV32_OP_##name] = &&L_##name,
		RV32_OPS(X) RV32_EXTRA(X)
#undef X
	};
	struct tensix_core *const c = h->core;
	uint32_t *const x = h->x;
	uint64_t *const ready = h->ready;
	uint8_t *const l1 = c->l1;
	uint8_t *const local = h->local;
	const uint32_t l1_size = c->l1_size, local_size = h->local_size;
	struct rv32_page *page;
	const struct rv32_insn *ip;
	uint64_t cycle = h->cycle, n = 0;
	uint32_t pc = h->pc, address, value;
	unsigned latency;

#define PC() (page->base + (uint32_t)(ip - page->insn) * 4)
#define DISPATCH()                      \
	do {                            \
		RUN_TRACE(PC(), cycle); \
		goto *labels[ip->op];   \
	} while (0)
#define NEXT()              \
	do {                \
		n++;        \
		cycle++;    \
		ip++;       \
		DISPATCH(); \
	} while (0)
#define USE(r)                                \
	do {                                  \
		if (ready[ip->r] > cycle)     \
			cycle = ready[ip->r]; \
	} while (0)
#define SAVE()                    \
	do {                      \
		h->cycle = cycle; \
		h->pc = PC();     \
	} while (0)

	goto fetch;

#define ALU_R(name, expression)                     \
	L_##name:                                   \
	{                                           \
		uint32_t a, b;                      \
		USE(rs1);                           \
		USE(rs2);                           \
		a = x[ip->rs1];                     \
		b = x[ip->rs2];                     \
		x[ip->rd] = (uint32_t)(expression); \
		NEXT();                             \
	}
#define ALU_I(name, expression)                     \
	L_##name:                                   \
	{                                           \
		uint32_t a, b = (uint32_t)ip->imm;  \
		USE(rs1);                           \
		a = x[ip->rs1];                     \
		x[ip->rd] = (uint32_t)(expression); \
		NEXT();                             \
	}
#define MUL_R(name, expression)                     \
	L_##name:                                   \
	{                                           \
		uint32_t a, b;                      \
		USE(rs1);                           \
		USE(rs2);                           \
		a = x[ip->rs1];                     \
		b = x[ip->rs2];                     \
		x[ip->rd] = (uint32_t)(expression); \
		ready[ip->rd] = cycle + 2;          \
		NEXT();                             \
	}
#define DIV_R(name, expression, time)               \
	L_##name:                                   \
	{                                           \
		uint32_t a, b;                      \
		USE(rs1);                           \
		USE(rs2);                           \
		a = x[ip->rs1];                     \
		b = x[ip->rs2];                     \
		cycle += (time)-1;                  \
		x[ip->rd] = (uint32_t)(expression); \
		NEXT();                             \
	}
#define STACK_CHECK()                                    \
	do {                                             \
		if (UNLIKELY(x[RV32_SP] < h->stack_end)) \
			goto overflow;                   \
		NEXT();                                  \
	} while (0)
	ALU_R(ADD, a + b)
	ALU_R(SUB, a - b)
	ALU_R(SLL, a << (b & 31))
	ALU_R(SLT, (int32_t)a < (int32_t)b)
	ALU_R(SLTU, a < b)
	ALU_R(XOR, a ^ b)
	ALU_R(SRL, a >> (b & 31))
	ALU_R(SRA, (int32_t)a >> (b & 31))
	ALU_R(OR, a | b)
	ALU_R(AND, a & b)
	ALU_I(ADDI, a + b)
	ALU_I(SLTI, (int32_t)a < (int32_t)b)
	ALU_I(SLTIU, a < b)
	ALU_I(XORI, a ^ b)
	ALU_I(ORI, a | b)
	ALU_I(ANDI, a & b)
	ALU_I(SLLI, a << b)
	ALU_I(SRLI, a >> b)
	ALU_I(SRAI, (int32_t)a >> b)
	MUL_R(MUL, a * b)
	MUL_R(MULH, ((int64_t)(int32_t)a * (int32_t)b) >> 32)
	MUL_R(MULHSU, rv32_mulhsu(a, b))
	MUL_R(MULHU, ((uint64_t)a * b) >> 32)
	DIV_R(DIV, rv32_div(a, b), div_cycles(interp_magnitude(a), interp_magnitude(b)))
	DIV_R(DIVU, b ? a / b : UINT32_MAX, div_cycles(a, b))
	DIV_R(REM, rv32_rem(a, b), div_cycles(interp_magnitude(a), interp_magnitude(b)))
	DIV_R(REMU, b ? a % b : a, div_cycles(a, b))

L_ADD_SP:
	USE(rs1);
	USE(rs2);
	x[RV32_SP] = x[ip->rs1] + x[ip->rs2];
	STACK_CHECK();
L_SUB_SP:
	USE(rs1);
	USE(rs2);
	x[RV32_SP] = x[ip->rs1] - x[ip->rs2];
	STACK_CHECK();
L_ADDI_SP:
	USE(rs1);
	x[RV32_SP] = x[ip->rs1] + (uint32_t)ip->imm;
	STACK_CHECK();
L_LUI:
L_AUIPC:
	x[ip->rd] = (uint32_t)ip->imm;
	NEXT();
L_FENCE:
	NEXT();
L_CSR:
	x[ip->rd] = 0;
	NEXT();

	/* Predicted: backward taken, forward not. */
#define BRANCH(name, condition)                      \
	L_##name:                                    \
	{                                            \
		uint32_t a, b;                       \
		USE(rs1);                            \
		USE(rs2);                            \
		a = x[ip->rs1];                      \
		b = x[ip->rs2];                      \
		if (!(condition)) {                  \
			if (ip->imm < 0)             \
				cycle += MISPREDICT; \
			NEXT();                      \
		}                                    \
		goto far;                            \
	}                                            \
	L_##name##_N:                                \
	{                                            \
		uint32_t a, b;                       \
		int32_t delta = ip->imm;             \
		USE(rs1);                            \
		USE(rs2);                            \
		a = x[ip->rs1];                      \
		b = x[ip->rs2];                      \
		if (!(condition)) {                  \
			if (delta < 0)               \
				cycle += MISPREDICT; \
			NEXT();                      \
		}                                    \
		n++;                                 \
		cycle++;                             \
		ip += delta;                         \
		if (delta <= 0)                      \
			goto back;                   \
		cycle += MISPREDICT;                 \
		DISPATCH();                          \
	}
	BRANCH(BEQ, a == b)
	BRANCH(BNE, a != b)
	BRANCH(BLT, (int32_t)a < (int32_t)b)
	BRANCH(BGE, (int32_t)a >= (int32_t)b)
	BRANCH(BLTU, a < b)
	BRANCH(BGEU, a >= b)

L_JAL_N : {
	int32_t delta = ip->imm;

	x[ip->rd] = PC() + 4;
	n++;
	cycle++;
	ip += delta;
	if (UNLIKELY(cycle >= limit))
		goto out;
	DISPATCH();
}
L_J_N : {
	int32_t delta = ip->imm;

	n++;
	cycle++;
	ip += delta;
	if (delta <= 0)
		goto back;
	DISPATCH();
}
L_JAL:
	if (ip->rd == RV32_SINK)
		goto far;
	pc = PC();
	x[ip->rd] = pc + 4;
	pc += (uint32_t)ip->imm;
	n++;
	cycle++;
	goto fetch;
L_JALR:
	USE(rs1);
	pc = (x[ip->rs1] + (uint32_t)ip->imm) & ~1u;
	if (UNLIKELY(!pc))
		goto null_call;
	x[ip->rd] = PC() + 4;
	n++;
	cycle += 1 + MISPREDICT;
	goto fetch;

#define LOAD(name, type)                                                                     \
	L_##name:                                                                            \
	{                                                                                    \
		USE(rs1);                                                                    \
		address = x[ip->rs1] + (uint32_t)ip->imm;                                    \
		if (LIKELY(address - TENSIX_LOCAL < local_size) &&                           \
		    !(address & (sizeof(type) - 1))) {                                       \
			x[ip->rd] = (uint32_t) * (type *)(local + (address - TENSIX_LOCAL)); \
			ready[ip->rd] = cycle + LATENCY_LOCAL;                               \
			NEXT();                                                              \
		}                                                                            \
		if (UNLIKELY(cycle >= limit))                                                \
			goto out;                                                            \
		if (LIKELY(address < l1_size) && !(address & (sizeof(type) - 1))) {          \
			uint64_t *slot = &h->load_slot[h->load_n++ & 3];                     \
			if (*slot > cycle)                                                   \
				cycle = *slot;                                               \
			x[ip->rd] = (uint32_t) * (type *)(l1 + address);                     \
			*slot = cycle + LATENCY_L1 - 1;                                      \
			ready[ip->rd] = cycle + LATENCY_L1;                                  \
			NEXT();                                                              \
		}                                                                            \
		SAVE();                                                                      \
		if (!slow_load(h, address, sizeof(type), &value, &latency))                  \
			goto stopped;                                                        \
		cycle = h->cycle;                                                            \
		x[ip->rd] = (uint32_t)(type)value;                                           \
		ready[ip->rd] = cycle + latency;                                             \
		NEXT();                                                                      \
	}
	LOAD(LB, int8_t)
	LOAD(LH, int16_t)
	LOAD(LW, uint32_t)
	LOAD(LBU, uint8_t)
	LOAD(LHU, uint16_t)

#define STORE(name, type)                                                               \
	L_##name:                                                                       \
	{                                                                               \
		USE(rs1);                                                               \
		USE(rs2);                                                               \
		address = x[ip->rs1] + (uint32_t)ip->imm;                               \
		if (LIKELY(address - TENSIX_LOCAL < local_size) &&                      \
		    !(address & (sizeof(type) - 1))) {                                  \
			*(type *)(local + (address - TENSIX_LOCAL)) = (type)x[ip->rs2]; \
			h->effects++;                                                   \
			NEXT();                                                         \
		}                                                                       \
		if (UNLIKELY(cycle >= limit))                                           \
			goto out;                                                       \
		if (LIKELY(address < l1_size) && !(address & (sizeof(type) - 1))) {     \
			if (h->store_free > cycle)                                      \
				cycle = h->store_free;                                  \
			h->store_free = cycle + L1_STORE_CYCLES;                        \
			*(type *)(l1 + address) = (type)x[ip->rs2];                     \
			h->effects++;                                                   \
			if (UNLIKELY(c->pages[address / RV32_PAGE] ||                   \
				     (c->watch_bits & watch_bit(address))))             \
				goto touched;                                           \
			NEXT();                                                         \
		}                                                                       \
		SAVE();                                                                 \
		if (!slow_store(h, address, sizeof(type), x[ip->rs2]))                  \
			goto stopped;                                                   \
		goto stored;                                                            \
	}
	STORE(SB, uint8_t)
	STORE(SH, uint16_t)
	STORE(SW, uint32_t)

touched: /* a RISC waits for this word, or it is text: maybe our own */
	core_touched(c, address & ~3u, 4, cycle);
	pc = PC() + 4;
	n++;
	cycle++;
	goto fetch;
stored: /* a register: the store may have put this very RISC into reset */
	cycle = h->cycle;
	if (UNLIKELY(h->state != TENSIX_RUNNING)) {
		n++;
		goto stopped;
	}
	NEXT();

L_TTINSN:
	if (h->risc < TENSIX_T0 || h->risc > TENSIX_T2 || !ip->imm)
		goto L_ILLEGAL;
	if (UNLIKELY(cycle >= limit))
		goto out;
	SAVE();
	if (!slow_store(h, TENSIX_PUSH, 4, (uint32_t)ip->imm))
		goto stopped;
	goto stored;
overflow:
	SAVE();
	hart_fault(h, TENSIX_FAULT_STACK, x[RV32_SP]);
	goto stopped;
null_call: /* only a reset starts at 0: this is a pointer that was never set */
	SAVE();
	hart_fault(h, TENSIX_FAULT_NULL, 0);
	goto stopped;
L_ILLEGAL:
	SAVE();
	hart_fault(h, TENSIX_FAULT_ILLEGAL, 0);
	goto stopped;
L_ECALL:
L_EBREAK:
	SAVE();
	hart_fault(h, TENSIX_FAULT_BREAK, 0);
	goto stopped;
L_PAGE_END:
	pc = page->base + RV32_PAGE;
	goto fetch;

far: /* a taken branch or jump that leaves its page */
	pc = PC() + (uint32_t)ip->imm;
	n++;
	cycle++;
	if (ip->imm < 0 && pc < l1_size && c->pages[pc / RV32_PAGE]) {
		page = c->pages[pc / RV32_PAGE];
		ip = page->insn + (pc / 4 & (RV32_PAGE_INSNS - 1));
		goto back;
	}
	if (ip->imm >= 0 && ip->op != RV32_OP_JAL)
		cycle += MISPREDICT;
fetch:
	page = LIKELY(pc < l1_size && !(pc & 3)) ? c->pages[pc / RV32_PAGE] : NULL;
	if (UNLIKELY(!page)) {
		h->pc = pc;
		h->cycle = cycle;
		page = code_page(h, pc);
		if (!page)
			goto stopped;
	}
	ip = page->insn + (pc / 4 & (RV32_PAGE_INSNS - 1));
	if (UNLIKELY(cycle >= limit))
		goto out;
	DISPATCH();

back: /* ip is the head of a loop that starts another iteration */
	if (h->spin_head != ip || h->spin_effects != h->effects) {
		h->spin_head = ip;
		h->spin_effects = h->effects;
		h->spin_n = 0;
	} else if (++h->spin_n == 2) {
		memcpy(h->spin_x, x, sizeof(h->spin_x));
	} else if (h->spin_n == 3) {
		/* Most loops change a register; the others are examined closely. */
		if (!memcmp(h->spin_x, x, sizeof(h->spin_x))) {
			SAVE();
			if (spin_try(h))
				goto stopped;
		}
		h->spin_n = -60;
	}
	h->spin_cycle = cycle;
	if (UNLIKELY(cycle >= limit))
		goto out;
	DISPATCH();

out:
	SAVE();
stopped:
	h->instructions += n;
	c->dev->stats.instructions += n;
}

#undef PC
#undef DISPATCH
#undef NEXT
#undef USE
#undef SAVE
#undef ALU_R
#undef ALU_I
#undef MUL_R
#undef DIV_R
#undef BRANCH
#undef LOAD
#undef STORE
#undef STACK_CHECK
