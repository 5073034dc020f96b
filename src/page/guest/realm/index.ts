/**
 * page/guest/realm/: what runs in the child process of a sandboxed guest. In: tasks. Out: answers, as JSON.
 * Always: the code of the guest is only ever run inside a virtual machine with limits, and a machine that
 * exceeded one is not used again.
 */
export { GuestProgram } from './guest-program.js'
export {
  type GuestAnswer,
  type GuestExports,
  type GuestReading,
  packTask,
  type RawRating,
} from './messages.js'
