/** Entry of the thread of a faulty agent. */
import { workerData } from 'node:worker_threads'
import type { Bus, BusMessage } from '../../../src/bus/index.js'
import { runAgentThread } from '../../../src/compose/run-agent-thread.js'
import type { Ledger } from '../../../src/ledger/index.js'
import { FaultMailbox } from './faults.js'
import { faultyLedger } from './faulty-ledger.js'
import type { FaultyThreadData } from './faulty-platform.js'
import { recordingLedger } from './recording-ledger.js'

const { acks, dropsNotices, mailbox, reports } = (workerData as FaultyThreadData).faults

void runAgentThread({
  ledger(real: Ledger): Ledger {
    const recorded = acks === null ? real : recordingLedger(real, acks)
    if (mailbox === null) return recorded
    return faultyLedger(recorded, new FaultMailbox(mailbox), what => reports.postMessage(what))
  },
  bus: real => (dropsNotices ? withoutNotices(real) : real),
})

function withoutNotices(real: Bus): Bus {
  const isNotice = ({ kind }: BusMessage) => kind === 'inbox' || kind === 'yours'
  return {
    send: message => real.send(message),
    subscribe: receive => real.subscribe(message => isNotice(message) || receive(message)),
  }
}
