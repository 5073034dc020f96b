/** Entry of the thread of one agent, when there are several. */
import { MessagePort, parentPort, type TransferListItem, workerData } from 'node:worker_threads'
import { portBus } from '../bus/index.js'
import { loadHooks } from '../cluster/agent/lane/index.js'
import { FencedError } from '../cluster/agent/pack/index.js'
import { type Ledger, LedgerError } from '../ledger/index.js'
import { portLedger } from '../ledger/remote/index.js'
import { PageSender } from '../runtime/index.js'
import { AgentHost } from './agent-host.js'
import type { AgentThreadData, FromAgent, ToAgent } from './agent-messages.js'
import { absolute } from './crawl-directory.js'
import { FaultMailbox, readFaults } from './faults.js'
import { faultyLedger } from './faulty-ledger.js'
import { Log } from './log.js'
import { openWhenThere } from './open-ledger.js'
import { recordingLedger } from './recording-ledger.js'
import { withReader } from './run-options.js'
import { StoreWorker } from './store-worker.js'
import { systemClock } from './system-clock.js'

const TELL_MS = 500

const { order, ledger: wire, bus, injectedFaults, pagesWanted } = workerData as AgentThreadData
const tell = (message: FromAgent, hands: readonly TransferListItem[] = []) =>
  parentPort!.postMessage(message, hands)
const sender =
  pagesWanted && new PageSender(pagesWanted, (page, hands) => tell({ kind: 'page', page }, hands))

async function main(): Promise<void> {
  const { config, directory } = order
  const worker = new StoreWorker()
  const log = new Log(directory)
  const ledger = wire instanceof MessagePort ? portLedger(wire) : await openWhenThere(wire)
  try {
    const hooks = config.hooks === undefined ? {} : await loadHooks(config.hooks, absolute)
    const host = await AgentHost.open(order, {
      ledger: withFaults(ledger),
      bus: portBus(bus),
      hooks: withReader(hooks, sender && (page => sender.send(page))),
      log,
      worker,
      onDiskTrouble: detail => tell({ kind: 'disk', detail }),
    })
    parentPort!.on('message', (message: ToAgent) => obey(host, message))
    const keepTelling = (): void => {
      tell({ kind: 'progress', progress: host.progress() })
      cancel = systemClock.after(TELL_MS, keepTelling)
    }
    let cancel = systemClock.after(TELL_MS, keepTelling)
    const end = await host.run().finally(() => cancel())
    tell({ kind: 'ended', end, progress: host.progress() })
  } catch (error) {
    tell({ kind: 'failed', ...failureOf(error as Error) })
  } finally {
    await worker.close()
    log.close()
    // Whoever still listens on a port would keep the thread.
    await ledger.close()
    bus.close()
    parentPort!.close()
  }
}

/** For fault tests. */
function withFaults(ledger: Ledger): Ledger {
  const { acks } = readFaults(process.env.ORBWEAVER_FAULTS)
  const noted = acks === null ? ledger : recordingLedger(ledger, acks)
  if (injectedFaults === null) return noted
  return faultyLedger(noted, new FaultMailbox(injectedFaults), what => tell({ kind: 'fault', what }))
}

function obey(host: AgentHost, message: ToAgent): void {
  switch (message.kind) {
    case 'stop':
      host.stop()
      break
    case 'disk':
      host.setDiskTrouble(message.trouble)
      break
    case 'page-taken':
      sender?.taken()
  }
}

function failureOf(error: Error): Omit<FromAgent & { kind: 'failed' }, 'kind'> {
  return {
    message: error.message,
    stack: error.stack ?? '',
    isFenced: error instanceof FencedError,
    ledger: error instanceof LedgerError ? error.kind : null,
  }
}

void main()
