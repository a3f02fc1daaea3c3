/* Processes by the numbers that they have where user space is: in a PID namespace they have others than outside. */
#ifndef NETLOOM_PIDS_H
#define NETLOOM_PIDS_H

#include "kernel.h"

/* Set by the loader: the inode of its PID namespace; 0 if that is the first, of which all processes have numbers. */
const volatile u32 own_pids = 0;

/* As deep as the kernel lets PID namespaces lie in each other. */
#define DEEPEST 32
#define PROCESS 1

/* The same below the first namespace. A process has a number in its own one and in all above. */
static __attribute__((noinline)) u32 number_in_own(struct task_struct *task)
{
	struct pid *pid = task->signal->pids[PROCESS];
	struct pid_namespace *namespace;
	u32 depth, deepest = pid->level, inum;
	int number;

	for (depth = 1; depth <= DEEPEST && depth <= deepest; depth++) {
		inum = 0;
		if (probe_read(&namespace, sizeof(namespace), &pid->numbers[depth].ns) ||
		    probe_read(&inum, sizeof(inum), &namespace->ns.inum) || inum != own_pids)
			continue;
		return probe_read(&number, sizeof(number), &pid->numbers[depth].nr) ? 0 : number;
	}
	return 0;
}

/* The number of a task's process; 0 if it is elsewhere. */
static inline __attribute__((always_inline)) u32 number_of(struct task_struct *task)
{
	return own_pids ? number_in_own(task) : (u32)task->tgid;
}

#endif
