/** Entry: the `orbweaver` command with the faults that `ORBWEAVER_FAULTS` asks for (CONTRIBUTING.md). */
import { main } from '../../../src/cli/main.js'
import { readFaults } from './faults.js'
import { faultyPlatform } from './faulty-platform.js'

process.exitCode = await main(process.argv.slice(2), faultyPlatform(readFaults(process.env.ORBWEAVER_FAULTS)))
