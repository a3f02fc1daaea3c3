/* For tests: a CPU that stands still, as those of a virtual machine do that its host does not run: when the thread
 * `sleeper` goes to sleep so that signals may wake it, its CPU does nothing for `stall_ns`, not even interrupts. Once. */
#include "kernel.h"

LICENSE;
MADE_BY;

const volatile u32 sleeper = 0;
const volatile u64 stall_ns = 0;

#define TASK_INTERRUPTIBLE 1

static int is_over = 0;

static long (*const repeat)(u32 times, void *step, void *context, u64 flags) = (void *)181;
#define MOST (1 << 23)

static long wait_until(u32 step, u64 *end)
{
	return monotonic_ns() >= *end;
}

SEC("tp_btf/sched_switch")
int sched_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];
	u64 end;

	if (is_over || prev->pid != (int)sleeper || !(prev->__state & TASK_INTERRUPTIBLE))
		return 0;
	is_over = 1;
	end = monotonic_ns() + stall_ns;
	repeat(MOST, wait_until, &end, 0);
	return 0;
}
