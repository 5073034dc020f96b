/**
 * page/sandbox/: a child process with limits, for code that is not trusted. In: tasks as bytes, to a program
 * that `compose/` starts without rights: no files, network, processes, threads or environment. Out: its
 * answers, or why there is none. Always: every task is answered, in bounded time and memory, whatever the
 * program does; a program that exceeds a limit is killed, and another one continues with the next task.
 */
export { Sandbox } from './sandbox.js'
export type {
  ChildUsage,
  SandboxAnswer,
  SandboxChild,
} from './sandbox-child.js'
export { serveTasks } from './serve-tasks.js'
