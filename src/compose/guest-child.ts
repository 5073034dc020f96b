/** The child process of a sandboxed guest. It has no rights; `start-sandbox.ts` starts it. */
import { GuestProgram } from '../page/guest/realm/index.js'
import { serveTasks } from '../page/sandbox/index.js'

function time() {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() }
}

const program = new GuestProgram(time)
void serveTasks(task => program.answer(task))
