/** Repairs a directory and kills itself with -9 right before one of its steps. Run with tsx. */
import { repairDirectory } from '../../src/verify/index.js'

const [directory, step] = process.argv.slice(2)

await repairDirectory(directory, {
  onStep: next => {
    if (next === step) process.kill(process.pid, 'SIGKILL')
  },
})
