/** The platform of the program, with the faults that were asked for in the place of some of its parts. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import type { Bus } from '../../../src/bus/index.js'
import { Coordinator } from '../../../src/cluster/coordinator/index.js'
import { systemPlatform } from '../../../src/compose/index.js'
import { startThreadOf } from '../../../src/compose/start-thread.js'
import type { Ledger } from '../../../src/ledger/index.js'
import type { AgentThreadData } from '../../../src/runtime/agents/index.js'
import { Log } from '../../../src/runtime/directory/index.js'
import type { Platform, ThreadOptions } from '../../../src/runtime/platform/index.js'
import { FaultMailbox, type Faults, faultIn } from './faults.js'
import { type FaultReport, untilOthersWork } from './faulty-ledger.js'

/** A frozen agent is let go after so many leases: after two its incarnation would be closed. */
const LONGEST_FREEZE = 1.8

const SILENT_BUS: Bus = { send: () => {}, subscribe: () => () => {} }

/** What the thread of a faulty agent is started with besides. */
export interface FaultyThreadData extends AgentThreadData {
  readonly faults: Pick<Faults, 'acks' | 'dropsNotices'> & {
    readonly mailbox: SharedArrayBuffer | null
    readonly reports: MessagePort
  }
}

export function faultyPlatform(faults: Faults): Platform {
  const { leaseMs, phaseSkewMs, roundsMs, inject } = faults
  const { ledgers } = systemPlatform
  const mailbox = inject === null ? null : new FaultMailbox()
  /** Of the crawl that this process runs; agents that joined one elsewhere meet no injected faults. */
  let ledger: Ledger | null = null
  const platform: Platform = {
    ...systemPlatform,
    leaseMs: leaseMs ?? systemPlatform.leaseMs,
    phaseSkewMs: agent => (Number(/\d+$/.exec(agent)?.[0] ?? 0) % 2 === 0 ? phaseSkewMs : -phaseSkewMs),
    newCoordinator: parts =>
      new Coordinator(roundsMs === null ? parts : { ...parts, bus: SILENT_BUS, beatMs: roundsMs }),
    ledgers: {
      ...ledgers,
      host: async (...crawl) => {
        const host = await ledgers.host(...crawl)
        ledger = host.ledger
        return host
      },
    },
    startThread(name, data, options = {}) {
      if (name !== 'agent-thread') return systemPlatform.startThread(name, data, options)
      const isJoined = ledger === null
      const own = {
        acks: faults.acks,
        dropsNotices: faults.dropsNotices && !isJoined,
        mailbox: isJoined ? null : (mailbox?.memory ?? null),
      }
      return startFaulty(data as AgentThreadData, own, options, (thread, what) =>
        report(thread, data as AgentThreadData, what),
      )
    },
  }
  if (inject !== null)
    process.on('SIGUSR2', () => {
      const fault = faultIn(inject)
      if (fault !== null) mailbox?.post(fault)
    })
  return platform

  /** An agent that stands still is ended, or resumed at the worst moment. */
  async function report(thread: Worker, { order }: AgentThreadData, what: FaultReport): Promise<void> {
    const log = new Log(order.directory, platform.clock)
    log.warn('fault', { agent: order.agent, ...what })
    log.close()
    if (what.how === 'kill') void thread.terminate()
    if (what.how !== 'freeze' || ledger === null) return
    await untilOthersWork(ledger, what.cells, LONGEST_FREEZE * platform.leaseMs)
    mailbox?.thaw()
  }
}

function startFaulty(
  data: AgentThreadData,
  own: Omit<FaultyThreadData['faults'], 'reports'>,
  options: ThreadOptions,
  onFault: (thread: Worker, what: FaultReport) => Promise<void>,
): Worker {
  const { port1, port2 } = new MessageChannel()
  const faulty: FaultyThreadData = { ...data, faults: { ...own, reports: port2 } }
  const transfer = [...(options.transfer ?? []), port2]
  const thread = startThreadOf('dist/faults/agent-thread.js', faulty, { ...options, transfer })
  port1.on('message', (what: FaultReport) => void onFault(thread, what))
  return thread.once('exit', () => port1.close())
}
